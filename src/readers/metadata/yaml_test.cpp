#include "readers/metadata/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "readers/metadata/flow_text.h"

namespace tanggul::readers {
namespace {

std::string repeat(std::string_view unit, std::size_t bytes) {
  std::string out;
  while (out.size() + unit.size() <= bytes) out += unit;
  return out;
}

std::string read(std::string_view text) { return flow_text(read_yaml(text, 1).tree.root()); }

TEST(Yaml, KeepsEachScalarAsWritten) {
  EXPECT_EQ(read("{a: 0.90, b: 'x y', c: ~, d: yes, e: [1, {f: 2021-01-01}]}"),
            "{a: 0.90, b: x y, c: null, d: yes, e: [1, {f: 2021-01-01}]}");
  const auto document = read_yaml("a: 1\nb: \"1\"\nc: !!str 1\n", 1);
  EXPECT_TRUE(document.tree.root().find("a").is_plain());
  EXPECT_FALSE(document.tree.root().find("b").is_plain());
  EXPECT_FALSE(document.tree.root().find("c").is_plain());
}

TEST(Yaml, CountsLinesFromTheFirst) {
  const auto document = read_yaml("a: 1\n\nb:\n- c\n", 10);
  EXPECT_EQ(document.tree.root().find("b").at(0).line(), 13U);
}

TEST(Yaml, TakesTheLastOfDuplicateKeys) {
  EXPECT_EQ(read("a: 1\nb: 2\na: 3\n"), "{b: 2, a: 3}");
  EXPECT_EQ(read_yaml("a: 1\na: 3\n", 1).tree.root().find("a").text(), "3");
}

TEST(Yaml, SharesWhatAliasesStandForAndMerges) {
  const auto document = read_yaml("a: &x {k: 1, l: 2}\nb: *x\nc: {<<: *x, l: 3}\n", 1);
  const TreeNode root = document.tree.root();
  EXPECT_EQ(root.find("b").find("k").text(), "1");
  EXPECT_EQ(root.find("c").find("k").text(), "1");
  EXPECT_EQ(root.find("c").find("l").text(), "3");
}

TEST(Yaml, ANodeThatContainsItselfIsNullInside) { EXPECT_EQ(read("&a [1, *a]"), "[1, null]"); }

TEST(Yaml, ASyntaxErrorIsADefectAndWhatCameBeforeIsKept) {
  const auto document = read_yaml("a: 1\nb: [2]\nc: {d: 3\ne: \"", 5);
  EXPECT_FALSE(document.error);
  ASSERT_EQ(document.defects.size(), 1U);
  EXPECT_GE(document.defects[0].line, 7U);
  EXPECT_EQ(document.tree.root().find("a").text(), "1");
  EXPECT_EQ(document.tree.root().find("b").at(0).text(), "2");
  EXPECT_TRUE(document.tree.root().find("b").is_whole());
  EXPECT_FALSE(document.tree.root().is_whole());
}

TEST(Yaml, ReadsOnlyTheFirstDocument) {
  const auto document = read_yaml("a: 1\n---\nb: 2\n", 1);
  EXPECT_EQ(flow_text(document.tree.root()), "{a: 1}");
  EXPECT_EQ(document.defects.size(), 1U);
  EXPECT_TRUE(read_yaml("---\na: 1\n---\n", 1).defects.empty());
}

TEST(Yaml, ReadsOnBehindAControlCharacter) {
  const auto document = read_yaml(std::string_view("a: x\nb: \x04\0\nc: 1\n", 17), 1);
  EXPECT_EQ(document.tree.root().find("c").text(), "1");
  ASSERT_EQ(document.defects.size(), 1U);
  EXPECT_EQ(document.defects[0].line, 2U);
}

TEST(Yaml, NothingIsNoDefect) {
  for (const char* text : {"", "\n\n", "# a remark\n", "---\n"}) {
    const auto document = read_yaml(text, 1);
    EXPECT_TRUE(document.defects.empty() && !document.error) << text;
  }
}

TEST(Yaml, GivesUpOverEachLimitAndNotAtIt) {
  const auto error = [](const std::string& text) { return read_yaml(text, 1).error.value_or(""); };
  const auto nested = [](std::size_t levels, std::string_view open, std::string_view close) {
    std::string text = repeat(open, levels * open.size()) + "x";
    for (std::size_t i = 0; i < levels; ++i) text += close;
    return text;
  };
  EXPECT_EQ(error(repeat("#", kMostYaml)), "");
  EXPECT_EQ(error(repeat("#", kMostYaml) + "#"), "YAML over 256 KiB");
  EXPECT_EQ(error(nested(64, "[", "]")), "");
  EXPECT_EQ(error(nested(65, "[", "]")), "YAML: nested too deeply");
  EXPECT_EQ(error(nested(64, "- ", "")), "");
  EXPECT_EQ(error(nested(65, "- ", "")), "YAML: nested too deeply");
  EXPECT_EQ(error(nested(65, "{a, b: ", "}")), "YAML: nested too deeply");
  EXPECT_EQ(error("[" + repeat(",\n", 2 * 99'998) + "]").find("too many"), std::string::npos);
  EXPECT_EQ(error("[" + repeat(",\n", 2 * 99'999) + "]"), "YAML: too many values");
  EXPECT_EQ(error("[" + repeat("x,", 2 * 19'998) + "]"), "");
  EXPECT_EQ(error("[" + repeat("x,", 2 * 20'000) + "]"), "YAML: too many values on a line");
  EXPECT_EQ(error("- &a x\n" + repeat("- *a\n", 5 * 100)), "");
  EXPECT_EQ(error("- &a x\n" + repeat("- *a\n", 5 * 101)), "YAML: too many aliases");
}

TEST(Yaml, ReadsTextThatIsNoYamlNoFurtherThanItsFault) {
  const Document document = read_yaml("x: y\n" + repeat("a\n", 200'000), 1);
  EXPECT_EQ(document.tree.root().find("x").text(), "y");
  ASSERT_EQ(document.defects.size(), 1U);
  EXPECT_LE(document.defects[0].line, 3U);
}

TEST(Yaml, ABadEntryCostsThatEntry) {
  for (const char* bad : {"- a: ROUGE: L\n  b: 2\n", "- a: @foo\n", "\t- {a: 1}\n"}) {
    const Document document =
        read_yaml("x:\n- a: first\n" + std::string(bad) + "- a: last\n  b: 3\n", 1);
    const TreeNode list = document.tree.root().find("x");
    ASSERT_EQ(list.size(), 2U) << bad;
    EXPECT_EQ(list.at(0).find("a").text(), "first");
    EXPECT_EQ(list.at(1).find("b").text(), "3");
    EXPECT_EQ(list.at(1).line(), bad == std::string_view("- a: ROUGE: L\n  b: 2\n") ? 5U : 4U)
        << bad;
    EXPECT_EQ(document.defects.size(), 1U) << bad;
  }
}

TEST(Yaml, CountsWhatAnAliasStandsForEachTime) {
  const auto document = [](int width) {
    std::string text = "a: &a [" + repeat("x,", 2 * 1000) + "]\nb: &b [";
    for (int i = 0; i < width; ++i) text += "*a,";
    return text + "]\nc: [*b, *b]\n";  // width * 3 * 1001
  };
  EXPECT_FALSE(read_yaml(document(60), 1).error);
  EXPECT_EQ(read_yaml(document(70), 1).error, "YAML: too many values");
}

TEST(Yaml, AnAliasAddsTheHeightOfWhatItStandsFor) {
  const std::string high = "a: &a " + repeat("[", 40) + repeat("]", 40) + "\nb: ";
  EXPECT_FALSE(read_yaml(high + repeat("[", 23) + "*a" + repeat("]", 23), 1).error);
  EXPECT_EQ(read_yaml(high + repeat("[", 24) + "*a" + repeat("]", 24), 1).error,
            "YAML: nested too deeply");
}

// Each was tried at half the size, too; the time doubles. Here only that they end.
TEST(Yaml, HostileTextsEnd) {
  for (const std::string_view unit :
       {"[",      "{",    "? ",  "- ",     "[{",    "[a, ",         "{a: ",
        "[: ",    "&a ",  "*a ", "&a a\n", "a: ",   "\"",           "'",
        "#",      "|",    "|\n", ">\n",    "!",     "! ",           "%",
        "%a b\n", "\t",   " ",   "\n",     "a",     "a ",           "a\n",
        ": ",     ",",    "]",   "}",      "---\n", "...\n",        "{a: b}, ",
        "[]",     "a:\n", "-\n", "?\n",    ":\n",   "<<: ",         "\"a\": ",
        "\"a\n",  "'\n",  "\\",  "@",      "`",     "\xEF\xBB\xBF", "\r"}) {
    read_yaml(repeat(unit, kMostYaml), 1);
  }
  std::string stairs;
  for (std::size_t i = 0; stairs.size() + i + 3 < kMostYaml; ++i) {
    stairs += std::string(i, ' ') + "a:\n";
  }
  EXPECT_EQ(read_yaml(stairs, 1).error, "YAML: nested too deeply");
}

TEST(Yaml, AnyBytesAreReadOrAreADefect) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "b", ":", ": ", "- ", "\n", "\n  ", "\n ", "[", "]", "{", "}", ",", "? ", "&a ", "*a",
        "<<: ", "\"", "'", "|\n", ">\n", "#", "!", "%", "\t", "---\n", "...\n", "\xff", "é", "~"));
    std::string text;
    for (const auto& piece : pieces) text += piece;
    const auto document = read_yaml(text, 1);
    RC_ASSERT((!document.error || document.error->starts_with("YAML")));
    flow_text(document.tree.root());
  }));
}

}  // namespace
}  // namespace tanggul::readers
