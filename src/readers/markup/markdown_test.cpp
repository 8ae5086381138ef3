#include "readers/markup/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "readers/markup/events_for_test.h"

namespace tanggul::readers {
namespace {

std::string events(std::string_view text, std::uint32_t first_line = 1) {
  Events events;
  scan_markdown(text, events, first_line);
  return events.all();
}

std::string repeated(std::string_view what, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += what;
  return out;
}

TEST(Markdown, ReadsATableAfterAHeading) {
  EXPECT_EQ(events("# Results\n| a | b |\n|---|:-:|\n| 1 | 2 |\n"),
            "1 h1 Results\n2 table [a][b]\n4 row [1][2]\nend\n");
}

TEST(Markdown, ReadsATableWhoseHeaderIsTheLastLineOfAParagraph) {
  EXPECT_EQ(events("We see\nthat:\na | b\n-|-\n1 | 2\n"),
            "1 p We see/that:\n3 table [a][b]\n5 row [1][2]\nend\n");
}

TEST(Markdown, TakesOneDashForADelimiter) {
  EXPECT_EQ(events("|a|\n|-|\n|1|\n"), "1 table [a]\n3 row [1]\nend\n");
}

TEST(Markdown, WantsAsManyDelimitersAsHeaders) {
  EXPECT_EQ(events("| a | b |\n|---|\n| 1 |\n"), "1 p | a | b |/|---|/| 1 |\n");
  EXPECT_EQ(events("| a |\n|---|---|\n"), "1 p | a |/|---|---|\n");
}

TEST(Markdown, ReadsPipesThatABackslashEscapes) {
  EXPECT_EQ(events("| a \\| b | c |\n|-|-|\n| `x \\| y` | \\\\| z |\n"),
            "1 table [a \\| b][c]\n3 row [`x \\| y`][\\\\| z]\nend\n");
  EXPECT_EQ(events("| a | b |\n|-|-|\n| `x | y` |\n"), "1 table [a][b]\n3 row [`x][y`]\nend\n")
      << "a code span protects no pipe";
}

TEST(Markdown, CutsLongRowsAndTakesShortOnes) {
  EXPECT_EQ(events("|a|b|\n|-|-|\n|1|2|3|\n|4|\n||\n"),
            "1 table [a][b]\n3 row [1][2]\n4 row [4]\n5 row []\nend\n");
}

TEST(Markdown, EndsATableWhereAnotherBlockBegins) {
  const std::string table = "|a|\n|-|\n|1|\n", read = "1 table [a]\n3 row [1]\nend\n";
  EXPECT_EQ(events(table + "\ntext\n"), read + "5 p text\n");
  EXPECT_EQ(events(table + "# h\n"), read + "4 h1 h\n");
  EXPECT_EQ(events(table + "> q\n"), read + "4 p q\n");
  EXPECT_EQ(events(table + "- i\n"), read + "4 p i\n");
  EXPECT_EQ(events(table + "***\n"), read);
  EXPECT_EQ(events(table + "```\nc\n```\n"), read + "5 code : c\n");
  EXPECT_EQ(events(table + "    c\n"), read + "4 code : c\n");
  EXPECT_EQ(events(table + "<div>\n"), read + "4 html <div>\n");
  EXPECT_EQ(events(table + "text\n"), "1 table [a]\n3 row [1]\n4 row [text]\nend\n");
}

TEST(Markdown, ReadsTablesInQuotesAndLists) {
  EXPECT_EQ(events("> | a |\n> |---|\n> | 1 |\n"), "1 table [a]\n3 row [1]\nend\n");
  EXPECT_EQ(events("1. x\n\n\t| a |\n\t|---|\n\t| 1 |\n"), "1 p x\n3 table [a]\n5 row [1]\nend\n");
  EXPECT_EQ(events("-\t| a |\n\t|---|\n\t| 1 |\n"), "1 table [a]\n3 row [1]\nend\n");
  EXPECT_EQ(events("* x\n  * | a |\n    |---|\n    | 1 |\n"),
            "1 p x\n2 table [a]\n4 row [1]\nend\n");
}

TEST(Markdown, ReadsTablesOfAHundredAndTwentyEightColumnsAndNoMore) {
  const auto table = [](std::size_t columns) {
    return repeated("|a", columns) + "|\n" + repeated("|-", columns) + "|\n";
  };
  EXPECT_EQ(events(table(128)), "1 table " + repeated("[a]", 128) + "\nend\n");
  EXPECT_TRUE(events(table(129)).starts_with("1 p |a|a"));
}

TEST(Markdown, ReadsAFenceWithItsInfo) {
  EXPECT_EQ(events("```bibtex title=x\n@misc{a,\n\n}\n```\nafter\n"),
            "2 code bibtex title=x: @misc{a,//}\n6 p after\n");
  EXPECT_EQ(events("~~~~ py\n~~~\n```\n~~~~~\n"), "2 code py: ~~~/```\n");
  EXPECT_EQ(events("  ```\n   a\n  b\n c\n   ```\n"), "2 code :  a/b/c\n");
}

TEST(Markdown, ReadsAFenceThatIsNeverClosedToItsEnd) {
  EXPECT_EQ(events("```\n# a\n\n| b |\n"), "2 code : # a//| b |\n");
  EXPECT_EQ(events("> ```\n> a\nb\n"), "2 code : a\n3 p b\n");
}

TEST(Markdown, ReadsBackticksWithBackticksBehindAsText) {
  EXPECT_EQ(events("``` a ``` b\n# h\n"), "1 p ``` a ``` b\n2 h1 h\n");
}

TEST(Markdown, ReadsIndentedCode) {
  EXPECT_EQ(events("    a\n\n      b\n\n\nc\n"), "1 code : a//  b\n6 p c\n");
  EXPECT_EQ(events("text\n    goes on\n"), "1 p text/goes on\n");
  EXPECT_EQ(events("\ta\n"), "1 code : a\n");
}

TEST(Markdown, ReadsHeadings) {
  EXPECT_EQ(events("# a\n###### b ##\n#c\n####### d\n"), "1 h1 a\n2 h6 b\n3 p #c/####### d\n");
  EXPECT_EQ(events("a\n===\nb\nc\n---\n"), "1 h1 a\n3 h2 b/c\n");
  EXPECT_EQ(events("   ## a\n#\n# #\n"), "1 h2 a\n2 h1 \n3 h1 \n");
  EXPECT_EQ(events("> a\n---\n"), "1 p a\n") << "no setext heading out of a quote";
}

TEST(Markdown, ReadsEachKindOfHtmlBlock) {
  EXPECT_EQ(events("<script>\n\na\n</script> b\nc\n"), "1 html <script>//a/</script> b\n5 p c\n");
  EXPECT_EQ(events("<!-- a\n\nb --> c\nd\n"), "1 html <!-- a//b --> c\n4 p d\n");
  EXPECT_EQ(events("<?a\n\nb?>\nc\n"), "1 html <?a//b?>\n4 p c\n");
  EXPECT_EQ(events("<!DOCTYPE\n\nhtml>\nc\n"), "1 html <!DOCTYPE//html>\n4 p c\n");
  EXPECT_EQ(events("<![CDATA[\n\n]]>\nc\n"), "1 html <![CDATA[//]]>\n4 p c\n");
  EXPECT_EQ(events("<div>\n# a\n\n# b\n"), "1 html <div>/# a\n4 h1 b\n");
  EXPECT_EQ(events("<b>\na\n\nc\n"), "1 html <b>/a\n4 p c\n");
}

TEST(Markdown, EndsAParagraphByHtmlBlocksButTheSeventh) {
  EXPECT_EQ(events("a\n<div>\n"), "1 p a\n2 html <div>\n");
  EXPECT_EQ(events("a\n<b>\n"), "1 p a/<b>\n");
  EXPECT_EQ(events("<b>x</b> y\n"), "1 p <b>x</b> y\n");
  EXPECT_EQ(events("<!-- never\n\n# a\n"), "1 html <!-- never//# a\n");
}

TEST(Markdown, ReadsLists) {
  EXPECT_EQ(events("- a\n  b\n- c\n\n  d\n\ne\n"), "1 p a/b\n3 p c\n5 p d\n7 p e\n");
  EXPECT_EQ(events("1) a\n   - b\n10) c\n"), "1 p a\n2 p b\n3 p c\n");
  EXPECT_EQ(events("text\n2. b\n"), "1 p text/2. b\n") << "only 1 ends a paragraph";
  EXPECT_EQ(events("text\n1. b\n"), "1 p text\n2 p b\n");
  EXPECT_EQ(events("-\n  a\n-\n\n  b\n"), "2 p a\n5 p b\n");
  EXPECT_EQ(events("- a\n\n      code\n"), "1 p a\n3 code : code\n");
  EXPECT_EQ(events("-a\n* * *\n- - -\n"), "1 p -a\n");
}

TEST(Markdown, GoesOnLazily) {
  EXPECT_EQ(events("> a\nb\n> c\n"), "1 p a/b/c\n");
  EXPECT_EQ(events("- a\nb\n"), "1 p a/b\n");
  EXPECT_EQ(events("> > a\nb\n"), "1 p a/b\n");
  EXPECT_EQ(events("> a\n\nb\n"), "1 p a\n3 p b\n");
  EXPECT_EQ(events("> a\n# b\n"), "1 p a\n2 h1 b\n");
  EXPECT_EQ(events("> a\n- b\n"), "1 p a\n2 p b\n");
  EXPECT_EQ(events("> # a\nb\n"), "1 h1 a\n2 p b\n") << "a heading does not";
}

TEST(Markdown, CountsLinesFromTheFirst) {
  EXPECT_EQ(events("# a\n\n\nb\n| c |\n|---|\n| 1 |\n", 10),
            "10 h1 a\n13 p b\n14 table [c]\n16 row [1]\nend\n");
  EXPECT_EQ(events("\n\n    a\n", 7), "9 code : a\n");
}

TEST(Markdown, ReadsContainersBeyondSixtyFourAsText) {
  EXPECT_EQ(events(repeated("> ", 64) + "a\n"), "1 p a\n");
  EXPECT_EQ(events(repeated("> ", 65) + "a\n"), "1 p > a\n");
}

TEST(Markdown, GivesVeryLongBlocksInParts) {
  Events events;
  scan_markdown(repeated("word\n", 10'000) + "| a |\n|---|\n", events);
  const std::string all = events.all();
  EXPECT_TRUE(all.starts_with("1 p word/"));
  EXPECT_TRUE(all.ends_with("\n10001 table [a]\nend\n")) << "the header is not lost in a part";
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 5);
}

TEST(Markdown, IsEmptyWhereThereIsNothing) {
  EXPECT_EQ(events(""), "");
  EXPECT_EQ(events("\n \n\t\n"), "");
  EXPECT_EQ(events("a"), "1 p a\n");
  EXPECT_EQ(events("```"), "");
}

}  // namespace
}  // namespace tanggul::readers
