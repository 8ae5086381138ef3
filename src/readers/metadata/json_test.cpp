#include "readers/metadata/json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "readers/metadata/flow_text.h"

namespace tanggul::readers {
namespace {

TEST(Json, ReadsWhatPythonPrints) {
  const auto document =
      read_json(R"({"a": NaN, "b": [Infinity, -Infinity, -1], "c": "NaN \" -Infinity",
    "d": 1e-05, "e": true, "f": null, "g": {"h": "é\u00e9\\"}})");
  EXPECT_TRUE(document.defects.empty());
  EXPECT_EQ(flow_text(document.tree.root()),
            "{a: null, b: [null, null, -1], c: NaN \" -Infinity, d: 1e-05, e: true, f: null, "
            "g: {h: éé\\}}");
}

TEST(Json, TakesTheLastOfDuplicateKeysAndKnowsLines) {
  const auto document = read_json("{\"a\": 1,\n\n\"a\": 2}");
  EXPECT_EQ(document.tree.root().find("a").text(), "2");
  EXPECT_EQ(document.tree.root().find("a").line(), 3U);
}

TEST(Json, KeepsWhatCameBeforeAnErrorOfSyntax) {
  const auto document = read_json("{\"a\": 1,\n \"b\": [2, }");
  EXPECT_EQ(document.tree.root().find("a").text(), "1");
  ASSERT_EQ(document.defects.size(), 1U);
  EXPECT_EQ(document.defects[0].line, 2U);
  EXPECT_FALSE(read_json("{} {}").defects.empty());
  EXPECT_FALSE(read_json("").defects.empty());
}

TEST(Json, GivesUpOverEachLimitAndNotAtIt) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_FALSE(read_json(nested(64)).error);
  EXPECT_TRUE(read_json(nested(64)).defects.empty());
  EXPECT_EQ(read_json(nested(65)).error, "JSON: nested too deeply");
  std::string numbers = "[";
  for (int i = 1; i < 500'000; ++i) numbers += "1,";
  EXPECT_FALSE(read_json(numbers + "]").error);
  EXPECT_EQ(read_json(numbers + "1]").error, "JSON: too many values");
  EXPECT_FALSE(read_json("1" + std::string(kMostJson - 1, ' ')).error);
  EXPECT_EQ(read_json("1" + std::string(kMostJson, ' ')).error, "JSON over 2 MiB");
}

TEST(Json, HostileTextsEnd) {
  for (const std::string_view unit :
       {"[", "{\"a\":", "\"", "\\", "-", "N", "NaN", "1", "0", "[1,", "\n", "/*", "//", "\"\\u",
        "{", "\xff", "[],", "-Infinity,"}) {
    for (const std::string_view start : {"", "[", "\"", "{\"a\":["}) {
      std::string text(start);
      while (text.size() + unit.size() <= kMostJson / 2) text += unit;
      read_json(text);
    }
  }
}

TEST(Json, AnyStringReadsBack) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    std::string quoted = "[\"";
    for (const char c : text) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20) {
        quoted += std::string("\\u00") + kHex[byte / 16] + kHex[byte % 16];
      } else {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
      }
    }
    const auto document = read_json(quoted + "\"]");
    RC_ASSERT(document.tree.root().at(0).text() == text);
  }));
}

}  // namespace
}  // namespace tanggul::readers
