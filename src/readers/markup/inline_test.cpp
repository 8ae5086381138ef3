#include "readers/markup/inline.h"

#include <gtest/gtest.h>

#include <string>

namespace tanggul::readers {
namespace {

// "[label](where)" of each link, "![…](…)" of each image, with its text behind a colon.
std::string spans(std::string_view text) {
  std::string out;
  const Inline seen(text);
  for (const Span& span : seen.spans()) {
    if (!out.empty()) out += " ; ";
    out += span.image ? "image " : "";
    out += text.substr(span.begin, span.end - span.begin);
    out += " : ";
    out += text.substr(span.text_begin, span.text_end - span.text_begin);
  }
  return out;
}

std::string visible(std::string_view text) { return std::string(Inline(text).visible()); }

TEST(Inline, FindsLinksAndImages) {
  EXPECT_EQ(spans("see [a b](x) and ![c](y)."), "[a b](x) : a b ; image ![c](y) : c");
  EXPECT_EQ(spans("[a](x \"title\")"), "[a](x \"title\") : a");
  EXPECT_EQ(spans("[](x)"), "[](x) : ");
}

TEST(Inline, FindsAnImageInALink) {
  EXPECT_EQ(spans("[![b](i)](x)"), "image ![b](i) : b ; [![b](i)](x) : ![b](i)");
}

TEST(Inline, PairsParenthesesAndBrackets) {
  EXPECT_EQ(spans("[a](x(y)z) b)"), "[a](x(y)z) : a");
  EXPECT_EQ(spans("[a [b] c](x)"), "[a [b] c](x) : a [b] c");
  EXPECT_EQ(spans("a] [b](x)"), "[b](x) : b");
  EXPECT_EQ(spans("[a](x"), "");
  EXPECT_EQ(spans("[a] (x)"), "");
  EXPECT_EQ(spans("[a](x\ny)"), "");
}

TEST(Inline, TakesNoEscapedBracket) {
  EXPECT_EQ(spans("\\[a](x)"), "");
  EXPECT_EQ(spans("[a\\](x) b](y)"), "[a\\](x) b](y) : a\\](x) b");
  EXPECT_EQ(spans("[a](x\\)y)"), "[a](x\\)y) : a");
}

TEST(Inline, FindsNothingInCode) {
  EXPECT_EQ(spans("`[a](x)` [b](y)"), "[b](y) : b");
  EXPECT_EQ(spans("``[a](x) ` `` [b](y)"), "[b](y) : b");
  EXPECT_EQ(spans("` [a](x)"), "[a](x) : a") << "a backtick that nothing closes";
  EXPECT_EQ(spans("`` ` [a](x) ``"), "");
}

TEST(Inline, BlanksCommentsOut) {
  EXPECT_EQ(visible("a <!-- b\nc --> d"), "a       \n      d");
  EXPECT_EQ(visible("a <!-- never"), "a <!-- never");
  EXPECT_EQ(visible("`<!-- a -->` b"), "`<!-- a -->` b");
  EXPECT_EQ(visible("<!---->x"), "       x");
  EXPECT_EQ(visible("<!-- a --> b <!-- c -->"), "           b           ");
  EXPECT_EQ(spans("<!-- [a](x) --> [b](y)"), "[b](y) : b");
}

TEST(Inline, KeepsToItsBounds) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "[a](b)";
  EXPECT_EQ(Inline(many).spans().size(), 4096U);
  const std::string deep = std::string(1000, '[') + "a" + std::string(1000, ']') + "(x)";
  EXPECT_LE(Inline(deep).spans().size(), 1U);
  EXPECT_EQ(Inline("[a](" + std::string(3000, 'x') + ")").spans().size(), 0U);
}

TEST(Inline, EndsOnAnyText) {
  for (const char* text :
       {"\\", "[", "]", "!", "`", "<!--", "<!", "[a](", "[a](\\", "![", "``", ""})
    EXPECT_EQ(visible(text), text);
}

}  // namespace
}  // namespace tanggul::readers
