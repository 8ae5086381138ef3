#include "readers/markup/plain_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace tanggul::readers {
namespace {

TEST(PlainText, FoldsBlanks) {
  EXPECT_EQ(plain_text("  a \t\n b  "), "a b");
  EXPECT_EQ(plain_text(" \n "), "");
}

TEST(PlainText, ReadsEntities) {
  EXPECT_EQ(plain_text("&lt;a&gt; &amp;&nbsp;b &#65;&#x42; &plusmn; &unknown; &amp"),
            "<a> & b AB ± &unknown; &amp");
  EXPECT_EQ(plain_text("&#0;&#xd800;&#x110000;"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(plain_text("&;&#;&#x;&#99999999;"), "&;&#;&#x;&#99999999;");
}

TEST(MarkupText, TakesPairedMarksAway) {
  EXPECT_EQ(markup_text("**bold** and *it* and __x__ _y_ `c` $m$"), "bold and it and x y c m");
  EXPECT_EQ(markup_text("***both***"), "both");
  EXPECT_EQ(markup_text("**92.1**"), "92.1");
}

TEST(MarkupText, WhatIsStruckOutIsNotSaid) {
  EXPECT_EQ(markup_text("~~90.1~~ 91.2"), "91.2");
  EXPECT_EQ(markup_text("<s>90.1</s> <del class=\"x\">a</del>91.2<strike>b</strike>"), "91.2");
  EXPECT_EQ(markup_text("<s>90.1 <small>91</small> ~5"), "90.1 91 ~5");
}

TEST(MarkupText, LeavesMarksThatAreNone) {
  for (const char* text : {"RegNetX_200MF", "0.84* / 0.65**", "a_b_c", "~5", "2 * 3 * 4",
                           "snake_case_x", "5$", "*", "**", "a * b"})
    EXPECT_EQ(markup_text(text), text);
}

TEST(MarkupText, GivesTheTextOfLinksAndImages) {
  EXPECT_EQ(markup_text("[a](b) and ![c](d)"), "a and c");
  EXPECT_EQ(markup_text("[![badge](x)](y)"), "badge");
  EXPECT_EQ(markup_text("[1] and [x]"), "[1] and [x]");
  EXPECT_EQ(markup_text("[**a**](b)"), "a");
}

TEST(MarkupText, TakesTagsAway) {
  EXPECT_EQ(markup_text("<b>a</b><br/>b<sup>2</sup>"), "a b 2");
  EXPECT_EQ(markup_text("a <!-- b --> c"), "a c");
  EXPECT_EQ(markup_text("a < b > c <3"), "a < b > c <3");
  EXPECT_EQ(markup_text("<p>a</p><p>b</p>"), "a b");
}

TEST(MarkupText, TakesEscapesAway) {
  EXPECT_EQ(markup_text("a\\_b \\*c\\* \\| \\n"), "a_b *c* | \\n");
  EXPECT_EQ(markup_text("\\<b>"), "<b>");
}

TEST(MarkupText, ReadsNoMoreThanItIsTold) {
  EXPECT_EQ(markup_text("abcdef", 3), "abc");
  EXPECT_LE(markup_text(std::string(1 << 20, '*')).size(), 4096U);
}

TEST(MarkupText, EndsOnAnyText) {
  const auto piece =
      rc::gen::element<std::string>("*", "**", "_", "`", "$", "~", "[", "](", ")", "!", "<", ">",
                                    "<!--", "\\", "&", ";", "&lt;", "a", " ", "é");
  EXPECT_TRUE(rc::check("text becomes text", [&] {
    std::string text;
    for (const auto& p : *rc::gen::container<std::vector<std::string>>(piece)) text += p;
    const std::string plain = markup_text(text);
    RC_ASSERT(is_utf8(plain));
    RC_ASSERT(plain.size() <= text.size());
  }));
}

}  // namespace
}  // namespace tanggul::readers
