#include "http/vary.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::http {
namespace {

using Names = std::vector<std::string>;

Headers vary(std::initializer_list<std::string_view> lines) {
  Headers h;
  for (const auto line : lines) h.add("Vary", line);
  return h;
}
std::string accept_key(std::string_view value) {
  return vary_values(Names{"accept"}, Headers({{"Accept", std::string(value)}}));
}

TEST(Vary, NamesAreSortedLowerCaseAndOnce) {
  EXPECT_EQ(vary_names(vary({"Accept-Encoding, accept", "ACCEPT"})),
            (Names{"accept", "accept-encoding"}));
  EXPECT_EQ(vary_names(vary({})), Names{});
  EXPECT_EQ(vary_names(vary({"Accept", "b, *"})), Names{"*"});
}

TEST(Vary, ByTooManyFieldsIsByEverything) {
  Headers h;
  for (std::size_t i = 0; i < kMostVaryNames; ++i) h.add("Vary", "x-" + std::to_string(i));
  EXPECT_EQ(vary_names(h).size(), kMostVaryNames);
  h.add("Vary", "one-more");
  EXPECT_EQ(vary_names(h), Names{"*"});
}

TEST(Vary, ValuesIgnoreSpacingAndLines) {
  EXPECT_EQ(accept_key("text/html;q=0.5,*/*"), accept_key(" text/html ; q=0.5 ,, */* ,"));
  RequestHead lines;
  lines.headers = {{"accept", "text/html;q=0.5"}, {"ACCEPT", "*/*"}};
  EXPECT_EQ(vary_values(Names{"accept"}, lines), accept_key("text/html;q=0.5, */*"));
}

TEST(Vary, ValuesKeepWhatDiffers) {
  EXPECT_NE(accept_key("a"), accept_key("b"));
  EXPECT_NE(accept_key("a b"), accept_key("ab"));
  EXPECT_NE(accept_key("\"a, b\""), accept_key("\"a,b\""));
  EXPECT_NE(accept_key(""), vary_values(Names{"accept"}, Headers()));
}

TEST(Vary, LanguagesAreWithoutCaseAndOrderedByWeightAlone) {
  const auto key = [](std::string_view value) {
    return vary_values(Names{"accept-language"},
                       Headers({{"Accept-Language", std::string(value)}}));
  };
  EXPECT_EQ(key("en, de"), key("De,EN"));
  EXPECT_EQ(key("en;q=0.5, de"), key("de;q=1.0, en;q=0.50"));
  EXPECT_NE(key("en, de"), key("en, de;q=0.9"));
  EXPECT_NE(key("en;q=0.5, de"), key("en, de;q=0.5"));
  EXPECT_NE(key("en"), key("en, de"));
  EXPECT_NE(key("en;q=x"), key("en;q=y"));  // not understood, so kept as it is
}

TEST(Vary, ValuesTellAnAbsentFieldFromItsNeighboursValue) {
  const Names names{"a", "b"};
  EXPECT_NE(vary_values(names, Headers({{"a", "b"}})), vary_values(names, Headers({{"b", "b"}})));
}

TEST(Vary, KeysOfDifferentFieldsNeverRunTogether) {
  EXPECT_TRUE(rc::check("a key tells its values apart", [](std::string a, std::string b) {
    const Names names{"a", "b"};
    const auto key = [&](const std::string& x, const std::string& y) {
      return vary_values(names, Headers({{"a", x}, {"b", y}}));
    };
    // Moving a part from one field to the other is another request.
    RC_PRE(!a.empty());
    const std::string x = "x" + a, y = "y" + b;
    RC_ASSERT((key(x, y) == key(y, x)) == (accept_key(x) == accept_key(y)));
  }));
}

}  // namespace
}  // namespace tanggul::http
