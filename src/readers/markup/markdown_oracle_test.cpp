#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "readers/markup/outline_for_test.h"
#include "readers/text/decoder.h"

namespace tanggul::readers {
namespace {

std::filesystem::path corpus() {
  const char* folder = std::getenv("TANGGUL_CORPUS");
  return folder != nullptr ? folder : TANGGUL_CORPUS_FOLDER;
}

// Blocks that hold nothing we do not give.
Outline without_empty(Outline outline) {
  std::erase_if(outline.codes, [](const std::string& code) { return code.empty(); });
  return outline;
}

std::string by_cmark(const std::string& text) {
  return printed(without_empty(cmark_outline(text)));
}
std::string ours(const std::string& text) {
  return printed(without_empty(read_by_cmark(outline_of(text), text)));
}

Outline tables_alone(const Outline& outline) { return {.tables = outline.tables}; }

// Definitions of links are paragraphs to us and nothing to cmark.
Outline without_paragraphs(Outline outline) {
  outline.paragraphs.clear();
  return outline;
}

// Is `longer` the table with perhaps more behind it? md4c reads on until an empty line.
bool begins(const Outline::Table& table, const Outline::Table& longer) {
  return table.header == longer.header && table.rows.size() <= longer.rows.size() &&
         std::equal(table.rows.begin(), table.rows.end(), longer.rows.begin());
}

TEST(MarkdownOracles, AgreeOnRealDocuments) {
  std::size_t read = 0;
  for (const char* folder : {"readmes", "cards"}) {
    if (!std::filesystem::is_directory(corpus() / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(corpus() / folder)) {
      if (entry.path().extension() != ".md") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string text = decode(std::string(std::istreambuf_iterator<char>(in), {}));
      SCOPED_TRACE(entry.path());
      EXPECT_EQ(printed(without_empty(without_paragraphs(read_by_cmark(outline_of(text), text)))),
                printed(without_empty(without_paragraphs(cmark_outline(text)))));
      std::size_t next = 0;
      const auto tables = read_by_md4c(outline_of(text), text).tables;
      for (const auto& table : md4c_outline(text).tables) {
        while (next < tables.size() && !begins(tables[next], table)) ++next;
        EXPECT_LT(next, tables.size()) << printed({.tables = {table}});
      }
      ++read;
    }
  }
  if (read == 0)
    GTEST_SKIP() << "no corpus in " << corpus() << "; TANGGUL_CORPUS names another folder";
}

constexpr const char* kDocuments[] = {
    "# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\nstill a row\n\nafter\n",
    "text before\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "two lines\nof text\na | b\n--|--\n1 | 2\n",
    "a | b\n-|-\n1 | 2\n",
    "|a|\n|-|\n|1|\n",
    "| a |\n| :-: |\n",
    "| a | b |\n|---|---|---|\n| 1 | 2 |\n",
    "| a | b |\n|---|\n| 1 | 2 |\n",
    "| a | b |\n| --- | :--: |\n| 1 |\n| 1 | 2 | 3 |\n||\n| | x |\n",
    "| a \\| b | c |\n|---|---|\n| `x \\| y` | 2 \\| 3 |\n",
    "| a | b |\n|---|---|\n| `x | y` | 2 |\n",
    "| a | b |\n|---|---|\n> quote\n",
    "| a | b |\n|---|---|\n- item\n",
    "| a | b |\n|---|---|\n# heading\n",
    "| a | b |\n|---|---|\n***\n",
    "| a | b |\n|---|---|\n```\ncode\n```\n",
    "| a | b |\n|---|---|\n    indented\n",
    "| a | b |\n|---|---|\n<div>\n| 1 | 2 |\n",
    "> | a | b |\n> |---|---|\n> | 1 | 2 |\n| 3 | 4 |\n",
    "- | a | b |\n  |---|---|\n  | 1 | 2 |\n- x\n",
    "1.  text\n\n\t| a | b |\n\t|---|---|\n\t| 1 | 2 |\n",
    "-\t| a | b |\n\t|---|---|\n\t| 1 | 2 |\n",
    "* x\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n",
    "# H\n| a | b |\n|---|---|\n| 1 | 2 |\n## I\n",
    "   | a | b |\n   |---|---|\n  | 1 | 2 |\n",
    "    | a | b |\n    |---|---|\n",
    "Heading\n===\nSecond\n---\ntwo\nlines\n===\n",
    "> a\n---\n> b\n===\n",
    "- a\n---\n- b\n===\n",
    "a\n\n---\nb\n***\n_ _ _\n",
    "# one #\n## two ##  \n### three \\#\n#four\n####### seven\n#\n# #\n",
    "```py\ncode\n```\n~~~\nmore\n\n~~~\n````\n```\n````\n",
    "```\nnever closed\n\n# no heading\n",
    "> ```\n> code\nafter\n",
    "- ```\n  code\n   more\n  ```\n",
    "  ```\n  two\n   three\n one\n  ```\n",
    "    code\n\n    more\n\n\n  text\n    lazy\n",
    "- a\n\n      code\n\n  text\n\n    - b\n\n          code\n",
    "\tcode\n \tcode\n  \t code\n",
    ">\tcode?\n>\t\tcode\n>  \tx\n",
    "-\ta\n\n\t\tcode\n",
    "1. a\n2. b\n   c\n10) d\n\n    e\n",
    "text\n2. no list\n1. a list\n",
    "text\n-\n- x\n",
    "-\n\n  not in it\n-\n  in it\n",
    "- a\n - b\n  - c\n   - d\n    - e\n",
    "> a\nlazy\n> > b\nlazy\n\nnot\n",
    "> - a\nlazy\n> - b\n>\n>   c\n",
    "<div>\n\n# H\n\n</div>\n",
    "<!-- a\n\n# no\n\n--> b\n# yes\n",
    "<script>\n\n# no\n</script>\n# yes\n",
    "<?php\n\n# no\n?>\n# yes\n<!DOCTYPE html>\n# yes\n<![CDATA[\n\n]]>\n# yes\n",
    "<a href=\"x\">\n# no\n\n# yes\ntext\n<a href=\"x\">\n# yes\n",
    "<p align=\"center\">\n<b>x</b>\n</p>\ntext\n\n<br/>\n\n<b>inline</b> text\n",
    "</ins\n>\ntext\n\n</ins>\n*x*\n\n<a  b='c' d=e f>\nx\n",
    "<pre>\n\n| a |\n|---|\n</pre>\n| a |\n|---|\n",
    "<details>\n<summary>S</summary>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n</details>\n",
    "| [a](b) | **c** | <br> | &amp; |\n|:-|-:|:-:|-|\n| ![i](x) | [r][l] | `c` | a\\*b |\n",
    "| a | b |  \n|---|---|\t\n| 1 | 2 |   \n",
    "a | b |\n--- | ---\n1 | 2 |\n",
    "| a | b\n| - | -\n| 1 | 2\n",
    "|a|b|\n|:---:|---:|\n|1|2|\n\n|c|\n|-|\n|3|\n",
    "|\n|-|\n",
    "| |\n|-|\n| |\n",
    "||\n|-|\n",
    "|-|\n|-|\n",
    "a\n-\n",
    "a\n:-\nb\n",
    "a\n|-|\nb\n",
    "**a** | b\n- | -\n1 | 2\n",
    "- a | b\n- | -\n",
    "x | y\n--- | ---\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\\| 3 | 4 |\n",
    "| a \\\\| b |\n|---|---|\n| 1 \\\\| 2 |\n",
    "| a | b |\n|---|---|\n\n| 1 | 2 |\n",
    "+ x\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n | 3 | 4 |\n",
};

TEST(MarkdownOracles, AgreeOnSmallDocuments) {
  for (const std::string document : kDocuments)
    EXPECT_EQ(ours(document), by_cmark(document)) << document;
}

// md4c 0.4 wants the header to be its block's first line and three dashes in a delimiter, ends a
// table by an empty line alone, and leaves the backslash of a pipe in a code span where it is.
TEST(MarkdownOracles, AgreeOnTablesOfTheirOwnBlocks) {
  for (const std::string document :
       {"| a | b |\n|---|---|\n| 1 | 2 |\n", "a | b\n:--- | ---:\n1\n1|2|3\n",
        "> | a |\n> |---|\n> | 1 |\n", "- | a | b |\n  |---|---|\n  | 1 | 2 |\n",
        "# H\n| a \\| b | c |\n|---|---|\n| x \\| y | **z** |\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n# H\n",
        "| a | b |\n|---|---|\n| [x](y) | &amp; |\n\n- | c |\n"})
    EXPECT_EQ(printed(tables_alone(read_by_md4c(outline_of(document), document))),
              printed(tables_alone(md4c_outline(document))))
        << document;
}

// Documents as people write them, block after block, some within quotes and lists.
rc::Gen<std::string> word() {
  return rc::gen::element<std::string>(
      "alpha", "`code`", "**bold**", "[link](https://a.b/c)", "1.5", "a_b", "x*y", "<b>t</b>",
      "&lt;", "\\*", "e.g.", "-", "1.", "#", "arXiv:1706.03762", "日本", "\\|", "$x_1$", "+", "=");
}

std::string words(int most) {
  std::string out = "w";
  const int count = *rc::gen::inRange(0, most);
  for (int i = 0; i < count; ++i) out += " " + *word();
  return out;
}

std::string table() {
  const int columns = *rc::gen::inRange(1, 5), rows = *rc::gen::inRange(0, 4);
  const bool outer = columns == 1 || *rc::gen::arbitrary<bool>();
  const auto line = [outer](int cells, const auto& text) {
    std::string out = outer ? "|" : "";
    for (int c = 0; c < cells; ++c) {
      if (c > 0) out += "|";
      out += " " + text() + " ";
    }
    return out + (outer ? "|\n" : "\n");
  };
  const auto cell = [] { return words(3) + *rc::gen::element<std::string>("", "", " `a \\| b`"); };
  std::string out = line(columns, cell);
  out +=
      line(columns, [] { return *rc::gen::element<std::string>("-", "---", ":-:", ":--", "--:"); });
  for (int r = 0; r < rows; ++r) out += line(std::max(1, columns + *rc::gen::inRange(-1, 2)), cell);
  return out;
}

std::string block() {
  switch (*rc::gen::inRange(0, 11)) {
    case 0:
      return std::string(static_cast<std::size_t>(*rc::gen::inRange(1, 7)), '#') + " " + words(4) +
             "\n";
    case 1:
      return words(4) + "\n" + *rc::gen::element<std::string>("===\n", "---\n");
    case 2:
      return "```py\n" + words(3) + "\n\n  " + words(3) + "\n```\n";
    case 3:
      return "    " + words(3) + "\n\n      " + words(2) + "\n";
    case 4:
      return "<div>\n" + words(3) + "\n</div>\n";
    case 5:
      return "<!-- " + words(3) + "\n\n# no -->\n";
    case 6:
    case 7:
      return table();
    case 8:
      return words(3) + "\n" + table();
    case 9:
      return "***\n";
    default:
      return words(5) + "\n" + words(4) + "\n";
  }
}

std::string indented(const std::string& text, const std::string& first, const std::string& others) {
  std::string out;
  std::size_t begin = 0;
  for (bool at_first = true; begin < text.size(); at_first = false) {
    const std::size_t end = text.find('\n', begin) + 1;
    const bool blank = end == begin + 1;
    out += blank ? (others[0] == '>' ? ">" : "") : at_first ? first : others;
    out += text.substr(begin, end - begin);
    begin = end;
  }
  return out;
}

std::string document(int depth) {
  std::string out;
  const int blocks = *rc::gen::inRange(1, 5);
  for (int b = 0; b < blocks; ++b) {
    const int kind = depth == 0 ? 0 : *rc::gen::inRange(0, 8);
    const std::string inner = kind < 4 ? block() : document(depth - 1);
    out += kind < 4    ? inner
           : kind == 4 ? indented(inner, "> ", "> ")
           : kind == 5 ? indented(inner, "- ", "  ")
           : kind == 6 ? indented(inner, "1. ", "   ")
                       : indented(inner, "-\t", "\t");
    if (*rc::gen::inRange(0, 4) > 0) out += "\n";
  }
  return out;
}

std::string unindented(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (!at_start || (c != ' ' && c != '\t')) out += c, at_start = false;
    if (c == '\n') at_start = true;
  }
  return out;
}

// cmark takes the indent of a fence for bytes where a tab is cut by its list's, and of such a tab
// gives the columns that are left, where we give the tab: blanks aside. And it takes the
// backslashes before pipes from a paragraph that ends with a table's header. Blanks of code spans
// that go over lines are not ours to tell.
Outline without_quirks(Outline outline) {
  for (std::string& paragraph : outline.paragraphs)
    std::erase_if(paragraph, [](char c) { return c == '\\' || c == ' '; });
  for (std::string& code : outline.codes) code = unindented(code);
  for (std::string& html : outline.htmls) html = unindented(html);
  return outline;
}

TEST(MarkdownOracles, AgreeOnDocumentsMadeOfBlocks) {
  EXPECT_TRUE(rc::check("as cmark-gfm reads them", [] {
    const std::string text = document(3);
    RC_LOG() << text;
    const std::string got =
        printed(without_empty(without_quirks(read_by_cmark(outline_of(text), text))));
    const std::string expected = printed(without_empty(without_quirks(cmark_outline(text))));
    if (got != expected) RC_LOG() << "ours:\n" << got << "cmark:\n" << expected;
    RC_ASSERT(got == expected);
  }));
}

// Lines of what begins, ends and continues blocks, in no order that a person would write.
TEST(MarkdownOracles, AgreeOnLinesInAnyOrder) {
  const auto piece = rc::gen::element<std::string>(
      "\n", "\n", "\n", "\n\n", " ", "  ", "    ", "\t", "> ", ">", "- ", "-", "* ", "1. ", "2) ",
      "10. ", "```", "~~~", "# ", "## ", "===", "---", "***", "|", " | ", "a | b", "| a | b |",
      "|---|---|", "-|-", ":-:", "<div>", "</div>", "<!-- ", " -->", "<b>", "<?", "?>", "<script>",
      "</script>", "a", "b c", "\\|", "\\", "é");
  EXPECT_TRUE(rc::check("as cmark-gfm reads them", [&] {
    std::string text;
    for (const auto& p : *rc::gen::container<std::vector<std::string>>(piece)) text += p;
    RC_LOG() << text;
    const std::string got =
        printed(without_empty(without_quirks(read_by_cmark(outline_of(text), text))));
    const std::string expected = printed(without_empty(without_quirks(cmark_outline(text))));
    if (got != expected) RC_LOG() << "ours:\n" << got << "cmark:\n" << expected;
    RC_ASSERT(got == expected);
  }));
}

}  // namespace
}  // namespace tanggul::readers
