#include <gtest/gtest.h>

#include <string>

#include "readers/document/document.h"
#include "readers/papers/ledger.h"
#include "readers/text/decoder.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kBytes = 1 << 19;
constexpr arxiv::Month kNow{2026, 11};

class Checked final : public DocumentSink {
 public:
  void mention(const Mention& mention) override {
    ASSERT_TRUE(mention.line > 0 || mention.text.empty());
    ASSERT_LE(mention.text.size(), 160U);
    ledger_.add("README.md", mention, true);
  }
  bool enough(std::string_view id) const override { return ledger_.enough(id); }
  void result_table(ResultTable found) override { ASSERT_LE(found.table.rows.size(), 2000U); }
  void model_index(std::string_view, std::uint32_t) override {}
  void defect(std::uint32_t, std::string_view) override {}

 private:
  Ledger ledger_;
};

// Again and again up to the size.
std::string filled(std::string_view what, std::size_t bytes = kBytes) {
  std::string out;
  while (out.size() + what.size() <= bytes) out += what;
  return out;
}

// Half of one thing, then half of another.
std::string halves(std::string_view one, std::string_view middle, std::string_view other) {
  return filled(one, kBytes / 2) + std::string(middle) + filled(other, kBytes / 2);
}

std::string nested_lists() {
  std::string out;
  for (std::size_t deep = 0; out.size() < kBytes; deep = (deep + 1) % 500)
    out += std::string(2 * deep, ' ') + "- a\n";
  return out;
}

std::string growing_ticks() {
  std::string out;
  for (std::size_t n = 1; out.size() < kBytes; ++n) out += "e" + std::string(n, '`');
  return out;
}

std::string many_references() {
  std::string out;
  for (int i = 0; out.size() < kBytes / 2; ++i) {
    const std::string name = std::to_string(i);
    out += "[a][r" + name + "] ";
  }
  out += "\n\n";
  for (int i = 0; out.size() < kBytes; ++i)
    out += "[r" + std::to_string(i) + "]: https://arxiv.org/abs/1706.03762\n";
  return out;
}

std::string many_columns() {
  return "x\n" + filled("th|", 300) + "\n" + filled("-|", 200) + "\n" + filled("td\n");
}

std::string many_papers() {
  std::string out;
  for (int i = 10'000; out.size() < kBytes; ++i)
    out += "arXiv:1706." + std::to_string(10'000 + i % 80'000) + (i % 7 == 0 ? "\n\n" : " ");
  return out;
}

void read_each_way(const std::string& bytes) {
  const std::string text = decode(bytes);
  Checked checked;
  read_markdown(text, 1, kNow, checked);
  read_rest(text, kNow, checked);
  read_plain(text, kNow, checked);
  read_bibtex_file(text, false, kNow, checked);
}

// What has brought readers of Markdown down (cmark's and md4c's own tests, and reports of others),
// and what might bring down ours: half a mebibyte each. One that is not read in linear time takes
// longer than a test may.
TEST(Pathological, DocumentsOfTwoPartsAreReadToTheirEnd) {
  const std::string all[] = {halves("*a **a ", "b", " a** a*"),
                             halves("[", "a", "]"),
                             halves("`", "a", "`"),
                             halves("*", "a", "*"),
                             halves("> ", "a\n", "> "),
                             halves("](", "\n", "[\n"),
                             halves("<table><tr><td>", "x", "</td></tr></table>"),
                             halves("{", "@a{b,", "}"),
                             halves("![", "a", "](x)"),
                             halves("<div>", "\n\n", "</div>"),
                             nested_lists(),
                             growing_ticks(),
                             many_references(),
                             many_columns(),
                             many_papers(),
                             "@a{" + filled("{"),
                             "@a{k, t=" + filled("\""),
                             "[x]: " + filled("x"),
                             "</" + filled("<!--"),
                             "| a |\n|---|\n" + filled("| 1.5 |\n"),
                             "<!-- " + filled("arXiv:1706.03762 "),
                             "```\n" + filled("a\n"),
                             "```\n" + filled("@a{b,\n"),
                             "<!--\n\n" + filled("a -- >\n\n"),
                             "a <![CDATA[" + filled("a <![CDATA["),
                             "---\n" + filled("a: b\n"),
                             "arXiv:" + filled("1706.03762,"),
                             "arXiv" + filled(" ") + "1706.03762",
                             filled("|") + "\n" + filled("-|"),
                             std::string("x") + filled(std::string_view("\0", 1))};
  for (const std::string& bytes : all) read_each_way(bytes);
}

TEST(Pathological, DocumentsOfOneThingRepeatedAreReadToTheirEnd) {
  for (const char* what : {"a_ ",
                           "_a ",
                           "a]",
                           "[a",
                           "*a_ ",
                           "*a ",
                           "a**b",
                           "c* ",
                           "[ a_",
                           "[ (](",
                           "![[]()",
                           "> ",
                           "- ",
                           "- x\n\n",
                           "> - x\n\n",
                           "[a](<b",
                           "[a](b",
                           "[a](b()()",
                           "<?",
                           "<!A ",
                           "<![CDATA[",
                           "<!--",
                           "-->",
                           "<>",
                           "\\`",
                           "a***",
                           "* ",
                           "* * * *\n",
                           "~~~~",
                           "www._",
                           "://",
                           "@",
                           "a@b.c ",
                           "|",
                           "\\|",
                           "\n",
                           "\r",
                           "\r\n",
                           "a\n",
                           "<details>",
                           "<details>\n\n",
                           "<summary>",
                           "[^1]",
                           "[^1]: ",
                           "```",
                           "```\n",
                           "$$",
                           "$",
                           "&#0;",
                           "&",
                           "&lt",
                           "&#1706",
                           "_",
                           "*",
                           "`",
                           "\\",
                           "#",
                           "# ",
                           "#\n",
                           "=",
                           "a\n=\n",
                           "a\n-\n",
                           "| a |\n|---|\n",
                           "| a |\n|---|\n\n",
                           "|a|b|c\n|-|-|-\n",
                           "aaa\rbbb\n-\v\n",
                           "    a\n",
                           "\t",
                           "\ta\n\n",
                           "1. ",
                           "1. a\n",
                           "1706.03762 ",
                           "arXiv:1706.03762 ",
                           "arXiv:1706.03762\n\n",
                           "arXiv ",
                           "arxiv.org/",
                           "https://arxiv.org/abs/1706.03762 ",
                           "hep-th/9901001 ",
                           "10.48550/arXiv.1706.03762",
                           "1706.",
                           "9",
                           "17060376",
                           "/9901001",
                           "%20",
                           "[cs.CL] ",
                           "1706.03762 [",
                           "[1] ",
                           "[1]",
                           "[10",
                           "[a][b]",
                           "[a][",
                           "][",
                           "please cite ",
                           "@a{",
                           "@a{b,\n",
                           "@a{b}\n",
                           "@a",
                           "@a(",
                           "a={b},",
                           "\"",
                           "{",
                           "<table>",
                           "<tr>",
                           "<td>",
                           "<td>a",
                           "<th rowspan=9>a",
                           "<table><td>",
                           "<td colspan=99>a",
                           "<h1>",
                           "<h1>a</h1>",
                           "<a href=\"",
                           "<a href=\"https://arxiv.org/abs/1706.03762\">",
                           "<a b=\"",
                           "<b",
                           "<",
                           ">",
                           ".. ",
                           ".. a::\n",
                           "::\n\n",
                           "====\n",
                           "a\n====\n",
                           "`a <",
                           "`a <b>`_ ",
                           "|a| ",
                           ".. |a| image:: b\n",
                           ". ",
                           "a. ",
                           "。",
                           "\u200b",
                           "\u3000",
                           "é",
                           "\xff",
                           "\xe2\x80",
                           "our ",
                           "paper: ",
                           "<!-- Type: model-index\n-->\n\n",
                           "<!-- a -->",
                           "- [ ] ",
                           "![a](b)",
                           "[![a](b)](c)\n",
                           "a|b\n-|-\nc|d\n\n",
                           "<p>\n\n",
                           "<script>\n",
                           "</script>\n",
                           "<pre>",
                           "<b>\n\n"})
    read_each_way(filled(what));
}

}  // namespace
}  // namespace tanggul::readers
