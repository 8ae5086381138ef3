#include "support/hostile_documents.h"

#include <fmt/format.h>

#include <random>
#include <string_view>

namespace tanggul::test {
namespace {

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string out;
  out.reserve(bytes + unit.size());
  while (out.size() < bytes) out += unit;
  out.resize(bytes);
  return out;
}

std::string cut(std::string text, std::size_t bytes) {
  text.resize(std::min(text.size(), bytes));
  return text;
}

std::string id(std::size_t i) {
  return fmt::format("{:02}{:02}.{:05}", 15 + i % 11, 1 + i % 12, 1 + i % 99998);
}

// unit(i), unit(i + 1) … until there are enough bytes.
template <class Unit>
std::string counted(std::size_t bytes, Unit unit) {
  std::string out;
  for (std::size_t i = 0; out.size() < bytes; ++i) out += unit(i);
  return cut(std::move(out), bytes);
}

// What is hostile by being said many times over.
constexpr std::string_view kUnits[] = {
    // cmark's tests and advisories
    "*a **a ",
    "a_ ",
    "_a ",
    "a]",
    "[a",
    "*a_ ",
    "*a ",
    "a**b c* ",
    "[ a_",
    "[ (](",
    "![[]()",
    "> ",
    "- ",
    "[a](<b",
    "[a](b",
    "</",
    "<!--",
    "<?",
    "<!A",
    "<![CDATA[",
    "- x\n",
    ">",
    "a*",
    "*",
    "_",
    // cmark-gfm's
    "www.",
    ":",
    "@",
    "a@b.",
    "aaa\rbbb\n-\v\n",
    "[^1]",
    "[^1]: x\n",
    "|",
    "x|",
    "-|",
    "th|\n-|\ntd\n",
    // md4c's
    "<>",
    "\\``",
    "a***",
    "* ",
    "[",
    "]",
    "www._",
    "](",
    "[\n",
    "[x]: x\n[x]",
    "\\|",
    // lines, encodings, openings without an end
    "\n",
    "\r",
    "\r\n",
    std::string_view("\0", 1),
    "\xff",
    "\xe2\x82",
    "\xc2\xa0",
    "\xe2\x80\x8b",
    "<details>",
    "```",
    "```\n",
    "~~~~",
    "$$",
    "$$\n",
    "&#0;",
    "&nbsp;",
    "`",
    "* * * *",
    "#",
    "# ",
    "=\n",
    "---\n",
    "1. ",
    "\t",
    "  - ",
    "- a\n  - b\n",
    "\\",
    "!",
    "((((",
    "()[]",
    "%2F%",
    "%253A",
    // identifiers and what surrounds them
    "arxiv",
    "arXiv:",
    "arxiv ",
    "arxiv<",
    "arxiv.org/abs/",
    "1706.03762 ",
    "1706.03762>",
    "arXiv:1706.03762 ",
    "arXiv:1706.03762, ",
    "hep-th/9711200 ",
    "hep-th/9711200",
    "abs/1706.03762 ",
    "https://arxiv.org/abs/1706.03762 ",
    "10.1145/",
    "10.48550/arXiv.",
    "1706.",
    "17060376",
    "/9901001",
    "%20",
    "1706.03762 [",
    "[cs.CL] ",
    "&#1706",
    "10.1145/3581784.3613215 ",
    "1234.",
    "0123456 ",
    "/0123456",
    "<a href=\"",
    "`a <",
    "`a <https://arxiv.org/abs/1706.03762>`_ ",
    "[1] ",
    "[1][a] ",
    "[a][b]",
    "cite ",
    "our paper ",
    "[10",
    "。",
    ". ",
    // BibTeX
    "@",
    "@article{",
    "@article{a,",
    "@a{x,t={",
    "@a{x,\n t={\n",
    "@a{x,t=\"",
    "@a{x,t=a#",
    "{",
    "}",
    "\"",
    "@comment{",
    // HTML
    "<table>",
    "<td>",
    "<tr><td>",
    "<table><tr><td>",
    "</table>",
    "<td rowspan=1000 colspan=128>",
    "<h1>",
    "</h1>",
    "<summary>",
    "<p>\n",
    "<!-- x",
    "<!-- x -->",
    "<a b=\"",
    "<td>a",
    "<details>\n\n",
    "<div>\n\n",
    "<table><tr><th>m</th><th>acc</th></tr><tr><td>x</td><td>1.5</td></tr></table>\n",
    // tables
    "|a|b\n",
    "|1|acc\n",
    "a|b\n-|-\n",
    "m|acc\n-|-\nx|1.5\n\n",
    // reST
    "..\n",
    ".. x::\n",
    "===\nT\n===\n",
    "::\n\n  ",
    ".. _a: b\n",
    ".. |a| image:: b\n",
    "a\n=\n",
    "a\n-\n",
};

std::vector<HostileDocument> all_documents() {
  std::vector<HostileDocument> all;
  for (const std::string_view unit : kUnits)
    all.push_back(
        {"many " + std::string(unit), [unit](std::size_t n) { return repeated(unit, n); }});
  const auto add = [&all](std::string name, std::function<std::string(std::size_t)> make) {
    all.push_back({std::move(name), std::move(make)});
  };
  add("nested brackets",
      [](std::size_t n) { return repeated("[", n / 2) + "a" + repeated("]", n / 2 - 1); });
  add("nested brackets and a definition", [](std::size_t n) {
    return repeated("[", n / 2 - 8) + repeated("]", n / 2 - 8) + "\n\n[a]: /b";
  });
  add("a quote of quotes", [](std::size_t n) { return repeated("> ", n - 1) + "a"; });
  add("lists 500 deep", [](std::size_t n) {
    return counted(n, [](std::size_t i) { return std::string(2 * (i % 500), ' ') + "- x\n"; });
  });
  add("a list of lists, then blank lines",
      [](std::size_t n) { return repeated("- ", n / 2) + "x" + repeated("\n", n / 2 - 1); });
  add("the same in a quote", [](std::size_t n) {
    return "> " + repeated("- ", n / 2) + "x" + repeated("\n>", n / 2 - 3);
  });
  add("growing runs of backticks", [](std::size_t n) {
    return counted(n, [](std::size_t i) { return "e" + std::string(i, '`'); });
  });
  add("a wide table with short rows", [](std::size_t n) {
    return repeated("x|", 255) + "x\n" + repeated("-|", 255) + "-\n" + repeated("a\n", n - 514);
  });
  add("a table of too many columns", [](std::size_t n) {
    return repeated("th|", n / 3) + "\n" + repeated("-|", n / 3) + "\n" +
           repeated("td\n", n / 3 - 2);
  });
  add("a long table of results",
      [](std::size_t n) { return "model|acc\n-|-\n" + repeated("m|1.5\n", n - 14); });
  add("a long reference used again", [](std::size_t n) {
    return "[x]: " + repeated("x", n / 2) + "\n" + repeated("[x]", n / 2 - 6);
  });
  add("many references", [](std::size_t n) {
    return counted(n, [](std::size_t i) { return fmt::format("[l][r{}]\n", i); });
  });
  add("many footnotes", [](std::size_t n) {
    return counted(n, [](std::size_t i) { return fmt::format("[^{}]: x\n\n[^{}]\n", i, i); });
  });
  add("one line", [](std::size_t n) { return repeated("a", n); });
  add("base64", [](std::size_t n) {
    std::mt19937 random(1);
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return counted(n, [&](std::size_t i) {
      return std::string(i % 77 == 76 ? "\n" : std::string(1, kDigits[random() % 64]));
    });
  });
  add("garbage", [](std::size_t n) {
    std::mt19937 random(2);
    return counted(n, [&](std::size_t) { return std::string(1, static_cast<char>(random())); });
  });
  add("a log", [](std::size_t n) {
    return counted(n, [](std::size_t i) {
      return fmt::format("2024-01-{:02} 12:00:{:02}.{:03} step {} loss=0.{:04} acc=91.{:04}\n",
                         i % 28 + 1, i % 60, i % 1000, i, i % 9999, i % 7919);
    });
  });
  add("front matter without an end",
      [](std::size_t n) { return "---\n" + repeated("a: b\n", n - 4); });
  add("front matter of any length",
      [](std::size_t n) { return "---\n" + repeated("a: b\n", n - 9) + "\n---\n"; });
  add("front matter of brackets", [](std::size_t n) {
    const std::size_t brackets = std::min<std::size_t>(n / 2, 200'000);
    return "---\na: " + repeated("[", brackets) + "\n---\n" + repeated("x\n", n - brackets - 12);
  });
  // What once was quadratic here, or grew past its document.
  add("numbers behind semicolons", [](std::size_t n) { return repeated("x;2101.00001 ", n); });
  add("wide tables under long headings", [](std::size_t n) {
    const std::string row = repeated("1|", 255) + "1\n";
    return "# imagenet " + repeated("y", 490) + "\n\n" +
           repeated("m|" + repeated("acc|", 505) + "\n" + repeated("-|", 255) + "-\n" + row + "\n",
                    n - 503);
  });
  add("results of a long name", [](std::size_t n) {
    return "m|" + repeated("acc ", 4000) + "\n-|-\n" + repeated("a|1\n", n - 4010);
  });
  add("small tables under long headings", [](std::size_t n) {
    return "# " + repeated("w ", 500) + "\n\n" + repeated("a|acc\n-|-\nb|1\n\n", n - 504);
  });
  add("entries under long headings", [](std::size_t n) {
    return "# " + repeated("w ", 500) + "\n\n" + repeated("@a{b}", n - 504);
  });
  add("indexes of long names in comments", [](std::size_t n) {
    return repeated(
        "<!--\nType: model-index\nModels:\n- Name: " + repeated("n ", 7000) +
            "\n  Results:\n  - Task: t\n    Dataset: d\n    Metrics:\n" +
            counted(9000, [](std::size_t i) { return fmt::format("      m{}: 1\n", i); }) +
            "\n-->\n\n",
        n);
  });
  add("cells that reach far down", [](std::size_t n) {
    const std::string table = "<table><tr><td colspan=127 rowspan=1000>" + repeated("x", 4000) +
                              "</td>" + repeated("<tr><td>1</td>", 8000) + "</table>\n";
    return repeated(table, n);
  });
  add("all identifiers differ", [](std::size_t n) {
    return counted(n, [](std::size_t i) { return "arXiv:" + id(i) + " "; });
  });
  add("a list of identifiers",
      [](std::size_t n) { return "arXiv:" + repeated("1706.03762,", n - 6); });
  add("identifiers in comments", [](std::size_t n) {
    return counted(n, [](std::size_t i) { return "<!-- arXiv:" + id(i) + " --> "; });
  });
  add("one identifier among broken links",
      [](std::size_t n) { return "arXiv:1706.03762 " + repeated("[a](b", n - 17); });
  add("one identifier among links",
      [](std::size_t n) { return "arXiv:1706.03762 " + repeated("[](a) ", n - 17); });
  add("one identifier among code spans",
      [](std::size_t n) { return "arXiv:1706.03762 " + repeated("`a`", n - 17); });
  add("identifiers in HTML", [](std::size_t n) {
    return "<p>" + counted(n - 3, [](std::size_t i) {
             return "<a href=\"https://arxiv.org/abs/" + id(i) + "\">x</a>";
           });
  });
  add("badges", [](std::size_t n) {
    return counted(n, [](std::size_t i) {
      return fmt::format(
          "[![a](https://img.shields.io/badge/arXiv-{}-red)](https://arxiv.org/abs/{}) ", id(i),
          id(i));
    });
  });
  add("BibTeX entries", [](std::size_t n) {
    return counted(n, [](std::size_t i) {
      return fmt::format("@a{{k{},\n title={{x}},\n eprint={{{}}},\n}}\n", i, id(i));
    });
  });
  add("cells of identifiers", [](std::size_t n) {
    return "arXiv|acc\n-|-\n" + counted(n - 14, [](std::size_t i) { return id(i) + "|1.5\n"; });
  });
  return all;
}

}  // namespace

const std::vector<HostileDocument>& hostile_documents() {
  static const std::vector<HostileDocument> all = all_documents();
  return all;
}

}  // namespace tanggul::test
