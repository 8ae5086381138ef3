#include "readers/metadata/front_matter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

namespace tanggul::readers {
namespace {

// The rows in short: "model|task|dataset|metric|value", a name in brackets behind its type.
std::vector<std::string> short_rows(const Metadata& metadata) {
  const auto both = [](const std::string& type, const std::string& name) {
    return name.empty() ? type : fmt::format("{}({})", type, name);
  };
  std::vector<std::string> out;
  for (const auto& row : metadata.rows) {
    out.push_back(fmt::format("{}|{}|{}|{}|{}", row.model, both(row.task, row.task_name),
                              both(row.dataset, row.dataset_name),
                              both(row.metric, row.metric_name), row.value.text));
  }
  return out;
}

using Rows = std::vector<std::string>;

// A card with one model of one result, of which the lines are given.
std::string card_of(std::string_view result) {
  std::string out = "model-index:\n- name: m\n  results:\n";
  std::istringstream lines{std::string(result)};
  std::string line;
  for (bool first = true; std::getline(lines, line); first = false) {
    out += (first ? "  - " : "    ") + line + "\n";
  }
  return out;
}

constexpr std::string_view kTask = "task: {type: t}\n", kDataset = "dataset: {type: d}\n";

TEST(FrontMatter, ReadsEachFieldOfARow) {
  const auto read = read_front_matter(R"(license: mit
model-index:
- name: my model
  results:
  - task: {type: text-generation, name: Text Generation}
    dataset:
      type: squad
      name: SQuAD v2
      config: default
      split: test
      revision: 5503434d
      args: {date: 20220120}
    metrics:
    - type: exact match
      name: EM
      value: 0.90
      verified: true
    - type: f1
      value: "95.3%"
    source: {url: https://a.test/x, name: Leaderboard}
)",
                                      2);
  EXPECT_TRUE(read.defects.empty());
  ASSERT_EQ(short_rows(read),
            (Rows{"my model|text-generation(Text Generation)|squad(SQuAD v2)|exact match(EM)|0.90",
                  "my model|text-generation(Text Generation)|squad(SQuAD v2)|f1|95.3%"}));
  const ModelIndexRow& row = read.rows[0];
  EXPECT_EQ(row.config, "default");
  EXPECT_EQ(row.split, "test");
  EXPECT_EQ(row.revision, "5503434d");
  EXPECT_EQ(row.source_url, "https://a.test/x");
  EXPECT_EQ(row.source_name, "Leaderboard");
  EXPECT_EQ(row.value.number, 0.9);
  EXPECT_TRUE(row.value.json_number);
  EXPECT_TRUE(row.verified);
  EXPECT_EQ(row.line, 15U);
  EXPECT_EQ(read.rows[1].value.number, 95.3);
  EXPECT_FALSE(read.rows[1].value.json_number);
  EXPECT_FALSE(read.rows[1].verified);
}

TEST(FrontMatter, ABadRowIsADefectAndTheOthersStay) {
  struct Case {
    std::string result;
    Rows rows;
    std::vector<std::string> defects;
  };
  const std::string head = std::string(kTask) + std::string(kDataset);
  const Case cases[] = {
      {head + "metrics: [{type: a, value: 1}, {type: b}, {value: 3}, {type: c, value: 4}]",
       {"m|t|d|a|1", "m|t|d|c|4"},
       {"a metric without value", "a metric without type"}},
      {std::string(kTask) + "metrics: [{type: a, value: 1}]", {}, {"a metric without dataset"}},
      {std::string(kDataset) + "metrics: [{type: a, value: 1}]", {}, {"a metric without task"}},
      {head, {}, {"a result without metrics"}},
      {head + "metrics:", {}, {"a result without metrics"}},
      {head + "metrics: []", {}, {}},
      {head + "metrics: 0.9", {}, {"metrics are no list"}},
      {head + "metrics: [accuracy, {type: a, value: 1}]", {"m|t|d|a|1"}, {"a metric is no map"}},
      {head + "metrics: {type: a, value: 1}", {"m|t|d|a|1"}, {}},
      {head + "metrics: {acc: 1, F1 score: 2}", {"m|t|d|acc|1", "m|t|d|F1 score|2"}, {}},
      {head + "metrics: [{acc: 1}, {f1: 2}]", {"m|t|d|acc|1", "m|t|d|f1|2"}, {}},
      {head + "metrics: [{name: A, value: 1}]", {"m|t|d|(A)|1"}, {}},
      {"task: t\ndataset: d\nmetrics: [{type: a, value: 1}]", {"m|t|d|a|1"}, {}},
      {"task: {name: T}\ndataset: {name: D}\nmetrics: [{type: a, value: 1}]",
       {"m|(T)|(D)|a|1"},
       {}},
      {"just text", {}, {"a result is no map"}},
  };
  for (const Case& c : cases) {
    const auto read = read_front_matter(card_of(c.result), 1);
    EXPECT_EQ(short_rows(read), c.rows) << c.result;
    std::vector<std::string> defects;
    for (const auto& defect : read.defects) defects.push_back(defect.message);
    EXPECT_EQ(defects, c.defects) << c.result;
    EXPECT_FALSE(read.error);
  }
}

TEST(FrontMatter, KeepsAValueOfAnyForm) {
  struct Case {
    std::string value, text;
    std::optional<double> number;
  };
  for (const auto& [value, text, number] :
       std::initializer_list<Case>{{"XX.XX", "XX.XX", {}},
                                   {"null", "null", {}},
                                   {"", "null", {}},
                                   {"[0.1, [b], {c: ~}]", "[0.1, [b], {c: null}]", {}},
                                   {"{a: 1}", "{a: 1}", {}},
                                   {"true", "true", {}},
                                   {"' 12.4 ± 0.2'", " 12.4 ± 0.2", 12.4},
                                   {"!!python/object/apply:numpy.float64 [x]", "[x]", {}},
                                   {"!!float 1.50", "1.50", 1.5},
                                   {"1.e-3", "1.e-3", 1e-3},
                                   {".nan", ".nan", {}}}) {
    const auto read = read_front_matter(card_of(std::string(kTask) + std::string(kDataset) +
                                                "metrics:\n- type: a\n  value: " + value),
                                        1);
    ASSERT_EQ(read.rows.size(), 1U) << value;
    EXPECT_EQ(read.rows[0].value.text, text);
    EXPECT_EQ(read.rows[0].value.number, number) << value;
  }
}

TEST(FrontMatter, ReadsTheWildFormsOfAModelIndex) {
  const std::string row = "{task: {type: t}, dataset: {type: d}, metrics: [{type: a, value: 1}]}";
  struct Case {
    std::string index;
    Rows rows;
    std::size_t defects;
  };
  for (const auto& [index, rows, defects] : std::initializer_list<Case>{
           {"[{name: m, results: []}]", {}, 0},
           {"[{name: m, results: }]", {}, 0},
           {"[{name: m}]", {}, 0},
           {"", {}, 0},
           {"text", {}, 1},
           {"[text]", {}, 1},
           {"[{name: m, results: text}]", {}, 1},
           {"[{name: m, results: " + row + "}]", {"m|t|d|a|1"}, 0},
           {"[{results: [" + row + "]}]", {"|t|d|a|1"}, 0},
           {"{name: m, results: [" + row + "]}", {"m|t|d|a|1"}, 0},
           {"{m: {results: [" + row + "]}, n: [" + row + "]}", {"m|t|d|a|1", "n|t|d|a|1"}, 0},
           {"[{name: x, name: m, results: 1, results: [" + row + "]}]", {"m|t|d|a|1"}, 0}}) {
    const auto read = read_front_matter("model-index: " + index + "\n", 1);
    EXPECT_EQ(short_rows(read), rows) << index;
    EXPECT_EQ(read.defects.size(), defects) << index;
  }
}

TEST(FrontMatter, ThatIsNoMapIsADefect) {
  for (const char* text : {"just text", "- a\n- b\n", "42"}) {
    const auto read = read_front_matter(text, 3);
    ASSERT_EQ(read.defects.size(), 1U) << text;
    EXPECT_EQ(read.defects[0].line, 3U);
    EXPECT_FALSE(read.error);
  }
  EXPECT_TRUE(read_front_matter("", 1).defects.empty());
}

TEST(FrontMatter, NamesPapersByTheirKeysOnly) {
  const auto read = read_front_matter(R"(base_model: org/arxiv-1706.03762
license: mit
arxiv: 1706.03762
Paper: [https://arxiv.org/abs/1810.04805, {title: GPT, url: https://arxiv.org/abs/2005.14165}]
doi: 10.1145/3442188.3445922
datasets: [arxiv]
tags: [text, "arxiv:1910.01108", 'DOI:10.1/x']
)",
                                      1);
  std::vector<std::string> found;
  for (const auto& r : read.references) {
    EXPECT_EQ(r.role, Reference::Role::unsaid);
    found.push_back(fmt::format("{} {} {} {}", r.line, r.field, r.text, r.title));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"7 tags arxiv:1910.01108 ", "7 tags DOI:10.1/x ",
                                             "3 arxiv 1706.03762 ",
                                             "4 Paper https://arxiv.org/abs/1810.04805 ",
                                             "4 Paper.url https://arxiv.org/abs/2005.14165 GPT",
                                             "5 doi 10.1145/3442188.3445922 "}));
}

TEST(FrontMatter, ALongNameThatEachRowRepeatsIsBounded) {
  std::string text = "model-index:\n- name: " + std::string(100'000, 'n') +
                     "\n  results:\n  - task: t\n    dataset: d\n    metrics:\n";
  for (int i = 0; i < 1000; ++i) text += "    - {type: a, value: 1}\n";
  const auto read = read_front_matter(text, 1);
  EXPECT_EQ(read.error, "far more findings than text");
  EXPECT_GT(read.rows.size(), 30U);
  EXPECT_LT(read.rows.size(), 100U);
}

TEST(FrontMatter, DefectsAreBounded) {
  std::string text = "model-index:\n- name: m\n  results:\n";
  for (int i = 0; i < 150; ++i) text += "  - text\n";
  const auto read = read_front_matter(text, 1);
  ASSERT_EQ(read.defects.size(), 101U);
  EXPECT_EQ(read.defects.back().message, "50 more defects");
}

// As large as the largest real card known: 132 KB, 1333 values.
TEST(FrontMatter, AVeryLargeCardComesOutExactly) {
  std::string text = "model-index:\n- name: embeddings\n  results:\n";
  std::vector<std::string> values;
  for (int dataset = 0; values.size() < 1333; ++dataset) {
    text += fmt::format(
        "  - task:\n      type: Retrieval\n    dataset:\n      type: mteb/set{0}\n      name: MTEB "
        "Set {0}\n      config: default\n      split: test\n      revision: {0:040}\n    "
        "metrics:\n",
        dataset);
    for (int i = 0; i < 20 && values.size() < 1333; ++i) {
      values.push_back(fmt::format("{}.{:03}{}", values.size() % 100, i, values.size()));
      text += fmt::format("    - type: some_metric_with_a_long_name_at_{:0>20}\n      value: {}\n",
                          i, values.back());
    }
  }
  ASSERT_GT(text.size(), 130'000U);
  const auto read = read_front_matter(text, 1);
  EXPECT_FALSE(read.error);
  EXPECT_TRUE(read.defects.empty());
  ASSERT_EQ(read.rows.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(read.rows[i].value.text, values[i]);
    EXPECT_EQ(read.rows[i].dataset, fmt::format("mteb/set{}", i / 20));
    EXPECT_TRUE(read.rows[i].value.json_number);
  }
}

TEST(FrontMatter, ASyntaxErrorHalfwayKeepsTheRowsBeforeIt) {
  const std::string good =
      "model-index:\n- name: m\n  results:\n  - task: {type: t}\n"
      "    dataset: {type: d}\n    metrics:\n    - type: a\n      value: 1\n";
  for (const char* bad : {"    - type: b\n      value: \"unclosed\n",
                          "    - type: b\n\t  value: 2\n", "    - type: b\n      value: x: y\n",
                          "    - *nowhere\n", "    - type: b\n      value: {a: [\n", "    - ]\n"}) {
    const auto read = read_front_matter(good + bad, 1);
    EXPECT_EQ(short_rows(read), (Rows{"m|t|d|a|1"})) << bad;
    EXPECT_EQ(read.defects.size(), 1U) << bad;
    EXPECT_FALSE(read.error);
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// The type comes last: behind `value:` alone a text may end and be whole, with null for a value.
std::string yaml_of(const std::vector<std::vector<std::string>>& results) {
  std::string out = "model-index:\n- name: m\n  results:\n";
  for (const auto& words : results) {
    const std::string q = words.empty() ? "\"w\"" : quoted("w" + words[0]);
    out += "  - task:\n      type: " + q + "\n    dataset:\n      name: D\n      type: " + q +
           "\n    metrics:\n";
    for (const auto& word : words) {
      out += "    - value: " + quoted(word) + "\n      type: " + quoted("w" + word) + "\n";
    }
  }
  return out;
}

auto some_results() {
  const auto word = rc::gen::container<std::string>(
      rc::gen::map(rc::gen::inRange(0x20, 0x7f), [](int c) { return static_cast<char>(c); }));
  // Small, so that the text stays within the limit.
  return rc::gen::resize(20, rc::gen::container<std::vector<std::vector<std::string>>>(
                                 rc::gen::container<std::vector<std::string>>(word)));
}

TEST(FrontMatter, WhatIsWrittenReadsBack) {
  EXPECT_TRUE(rc::check([] {
    const auto results = *some_results();
    const auto read = read_front_matter(yaml_of(results), 1);
    std::size_t at = 0;
    for (const auto& words : results) {
      for (const auto& word : words) {
        RC_ASSERT(at < read.rows.size());
        RC_ASSERT(read.rows[at].task == "w" + words[0]);
        RC_ASSERT(read.rows[at].metric == "w" + word);
        RC_ASSERT(read.rows[at++].value.text == word);
      }
    }
    RC_ASSERT(at == read.rows.size());
    RC_ASSERT(!read.error);
  }));
}

TEST(FrontMatter, ACutTextHasTheFirstRowsOfTheWhole) {
  EXPECT_TRUE(rc::check([] {
    const auto text = yaml_of(*some_results());
    const auto all = short_rows(read_front_matter(text, 1));
    const auto cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const auto some = short_rows(read_front_matter(text.substr(0, cut), 1));
    RC_ASSERT(some.size() <= all.size());
    RC_ASSERT(std::equal(some.begin(), some.end(), all.begin()));
  }));
}

}  // namespace
}  // namespace tanggul::readers
