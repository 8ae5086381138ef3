#include "readers/markup/html_scanner.h"

#include <gtest/gtest.h>

#include <string>

namespace tanggul::readers {
namespace {

// Each table as "line/header rows: [a][b] / [1][2]".
std::string tables(HtmlScanner& scanner) {
  std::string out;
  for (const HtmlTable& table : scanner.take_tables()) {
    if (!out.empty()) out += " ; ";
    out += std::to_string(table.line) + "/" + std::to_string(table.header_rows) + ":";
    for (const auto& row : table.rows) {
      out += &row == &table.rows[0] ? " " : " / ";
      for (const auto& cell : row) out += "[" + cell + "]";
    }
  }
  return out;
}

std::string tables(std::string_view html) {
  HtmlScanner scanner;
  scanner.feed(html, 1);
  scanner.finish();
  return tables(scanner);
}

std::string headings(HtmlScanner& scanner) {
  std::string out;
  for (const HtmlHeading& heading : scanner.take_headings())
    out += std::to_string(heading.level) + "[" + heading.text + "]";
  return out;
}

TEST(HtmlScanner, ReadsATable) {
  EXPECT_EQ(
      tables(
          "<p>\n<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>"),
      "2/1: [a][b] / [1][2]");
}

TEST(HtmlScanner, CountsTheHeaderRows) {
  EXPECT_EQ(tables("<table><thead><tr><td>a</td></tr><tr><td>b</td></tr></thead>"
                   "<tbody><tr><td>1</td></tr></tbody></table>"),
            "1/2: [a] / [b] / [1]");
  EXPECT_EQ(tables("<table><tr><th>a</th></tr><tr><th>b</th></tr><tr><td>1</td></tr></table>"),
            "1/2: [a] / [b] / [1]");
  EXPECT_EQ(tables("<table><tr><th>a</th><td>1</td></tr></table>"), "1/0: [a][1]");
  EXPECT_EQ(tables("<table><tr><td>1</td></tr><tr><th>a</th></tr></table>"), "1/0: [1] / [a]");
}

TEST(HtmlScanner, RepeatsCellsThatSpan) {
  EXPECT_EQ(tables("<table><tr><th colspan=\"2\">a</th><th>b</th></tr>"
                   "<tr><td>1</td><td>2</td><td>3</td></tr></table>"),
            "1/1: [a][a][b] / [1][2][3]");
  EXPECT_EQ(tables("<table><tr><td rowspan=2>a</td><td>1</td></tr><tr><td>2</td></tr></table>"),
            "1/0: [a][1] / [a][2]");
  EXPECT_EQ(tables("<table><tr><td>1</td><td rowspan='2'>a</td></tr><tr><td>2</td></tr></table>"),
            "1/0: [1][a] / [2][a]");
  EXPECT_EQ(
      tables("<table><tr><td rowspan=2 colspan=2>a</td><td>1</td></tr><tr><td>2</td></tr></table>"),
      "1/0: [a][a][1] / [a][a][2]");
  EXPECT_EQ(tables("<table><tr><td colspan=0>a</td><td colspan=x>b</td></tr></table>"),
            "1/0: [a][b]");
}

TEST(HtmlScanner, ClosesWhatIsLeftOpen) {
  EXPECT_EQ(tables("<table><tr><td>1<td>2<tr><td>3<td>4"), "1/0: [1][2] / [3][4]");
  EXPECT_EQ(tables("<table><td>1</td></table>"), "1/0: [1]");
  EXPECT_EQ(tables("</table></tr></td></th></thead>text"), "");
  EXPECT_EQ(tables("<table></table><table><tr></tr></table>"), "") << "of no rows";
}

TEST(HtmlScanner, ReadsTheTextOfCells) {
  EXPECT_EQ(tables("<table><tr><td> <b>a</b>\n b </td><td>1<br>2</td><td>&lt;3&nbsp;4</td>"
                   "<td><a href=\"x\">link</a></td></tr></table>"),
            "1/0: [a b][1 2][<3 4][link]");
}

TEST(HtmlScanner, ReadsTablesInTables) {
  EXPECT_EQ(tables("<table><tr><td>a<table><tr><td>1</td></tr></table>b</td></tr></table>"),
            "1/0: [1] ; 1/0: [ab]");
}

TEST(HtmlScanner, GoesOnAcrossBlocks) {
  HtmlScanner scanner;
  scanner.feed("<table>\n<tr><td>", 1);
  EXPECT_TRUE(scanner.in_table());
  scanner.text("**Markdown** text");
  scanner.feed("</td>", 5);
  scanner.feed("<td>2</td></tr></table>", 7);
  EXPECT_FALSE(scanner.in_table());
  EXPECT_EQ(tables(scanner), "1/0: [Markdown text][2]");
}

TEST(HtmlScanner, HidesCommentsAndKeepsPlaces) {
  HtmlScanner scanner;
  EXPECT_EQ(scanner.feed("a <!-- b --> c", 1), "a " + std::string(10, ' ') + " c");
  EXPECT_EQ(scanner.feed("x <!-- <table><tr><td>1\n", 2), "x " + std::string(21, ' ') + "\n");
  EXPECT_TRUE(scanner.in_comment());
  EXPECT_EQ(scanner.feed("</table> --> y", 4), std::string(12, ' ') + " y");
  EXPECT_FALSE(scanner.in_comment());
  scanner.finish();
  EXPECT_EQ(tables(scanner), "");
}

TEST(HtmlScanner, GivesHeadingsWithTheirPlaces) {
  HtmlScanner scanner;
  const std::string html = "<h1 align=center>The <b>title</b></h1>\n<h3>b</h3>";
  scanner.feed(html, 1);
  const auto found = scanner.take_headings();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "The title");
  EXPECT_EQ(html.substr(found[0].begin, found[0].end - found[0].begin),
            "<h1 align=center>The <b>title</b>");
  EXPECT_EQ(found[1].level, 3);
}

TEST(HtmlScanner, GivesASummaryAndItsEnd) {
  HtmlScanner scanner;
  scanner.feed("<details><summary>More</summary>", 1);
  scanner.feed("</details>", 9);
  EXPECT_EQ(headings(scanner), "7[More]7[]");
}

TEST(HtmlScanner, EndsAHeadingByTheNext) {
  HtmlScanner scanner;
  scanner.feed("<h1>a<h2>b</h2>", 1);
  EXPECT_EQ(headings(scanner), "1[a]2[b]");
  scanner.feed("<h1>goes", 2);
  EXPECT_EQ(headings(scanner), "");
  scanner.feed("on</h1>", 4);
  EXPECT_EQ(headings(scanner), "1[goes on]");
}

TEST(HtmlScanner, HasNoTagsInAttributesOrText) {
  EXPECT_EQ(tables("a < b <table-x> <tables> </ table> <1>"), "");
  EXPECT_EQ(tables("<TABLE><TR><TD>1</TD></TR></TABLE>"), "1/0: [1]");
  EXPECT_EQ(tables("<table><tr><td title=\"a > b\">1</td></tr></table>"), "1/0: [1]");
}

TEST(HtmlScanner, KeepsToItsBounds) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<table><tr><td>";
  EXPECT_FALSE(tables(deep + "x").empty());
  std::string wide = "<table><tr>";
  for (int i = 0; i < 500; ++i) wide += "<td colspan=9999 rowspan=9999>a</td>";
  HtmlScanner scanner;
  for (int i = 0; i < 20; ++i) scanner.feed(wide, 1);
  scanner.finish();
  std::size_t cells = 0;
  for (const HtmlTable& table : scanner.take_tables())
    for (const auto& row : table.rows) {
      EXPECT_LE(row.size(), 128U);
      cells += row.size();
    }
  EXPECT_LE(cells, 100'000U);
}

}  // namespace
}  // namespace tanggul::readers
