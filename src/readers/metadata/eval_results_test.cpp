#include "readers/metadata/eval_results.h"

#include <gtest/gtest.h>

namespace tanggul::readers {
namespace {

TEST(EvalResults, ReadsAnEntry) {
  const auto read = read_eval_results(R"(- dataset:
    id: cais/hle
    task_id: default
    revision: abc
  value: 20.90
  verifyToken: t
  date: "2025-01-15"
  source: {url: https://a.test/x, name: Model card, user: u}
  notes: no tools
- dataset: {id: b, task_id: t}
  value: "95.3%"
  metric: acc
)");
  EXPECT_TRUE(read.defects.empty());
  ASSERT_EQ(read.rows.size(), 2U);
  const ModelIndexRow& row = read.rows[0];
  EXPECT_EQ(row.dataset, "cais/hle");
  EXPECT_EQ(row.task, "default");
  EXPECT_EQ(row.revision, "abc");
  EXPECT_EQ(row.value.text, "20.90");
  EXPECT_EQ(row.value.number, 20.9);
  EXPECT_EQ(row.source_url, "https://a.test/x");
  EXPECT_EQ(row.source_name, "Model card");
  EXPECT_TRUE(row.verified);
  EXPECT_EQ(row.metric, "");
  EXPECT_EQ(row.line, 1U);
  EXPECT_EQ(read.rows[1].metric, "acc");
  EXPECT_FALSE(read.rows[1].verified);
}

TEST(EvalResults, AnIncompleteEntryIsADefectAndTheOthersStay) {
  const auto read = read_eval_results(
      "- {dataset: {id: a, task_id: t}, value: 1}\n- {dataset: {id: a}, value: 1}\n"
      "- {dataset: {task_id: t}, value: 1}\n- {dataset: {id: a, task_id: t}}\n- text\n"
      "- {dataset: {id: b, task_id: t}, value: 2}\n- dataset: {id: c, task_id: t}\n  value: \"");
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rows[1].dataset, "b");
  EXPECT_EQ(read.defects.size(), 5U);  // the last is one of syntax
  EXPECT_FALSE(read.error);
}

TEST(EvalResults, ThatAreAMapAreOneEntryAndATextIsADefect) {
  EXPECT_EQ(read_eval_results("{dataset: {id: a, task_id: t}, value: 1}").rows.size(), 1U);
  EXPECT_EQ(read_eval_results("text").defects.size(), 1U);
  EXPECT_TRUE(read_eval_results("").defects.empty());
}

}  // namespace
}  // namespace tanggul::readers
