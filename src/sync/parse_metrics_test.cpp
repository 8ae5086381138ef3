#include "sync/parse_metrics.h"

#include <gtest/gtest.h>

#include <map>

namespace tanggul::sync {
namespace {

std::map<std::string, std::uint64_t> values(const MetricSet& set) {
  std::map<std::string, std::uint64_t> out;
  set.visit([&out](const MetricSet::Family& family) {
    for (const auto& series : family.series) {
      std::string labels;
      for (const auto& [key, value] : series.labels)
        labels += (labels.empty() ? "" : ",") + key + "=" + value;
      out[family.name + "{" + labels + "}"] = series.counter->value();
    }
  });
  return out;
}

TEST(ParseMetrics, AStageThatGaveUpCountsOnceAJobHoweverManyFilesItCost) {
  MetricSet set;
  ParseMetrics metrics(set, "canary");
  auto before = values(set);
  EXPECT_EQ(before.size(), 15U);
  for (const auto& [series, value] : before) EXPECT_EQ(value, 0U) << series;

  Findings findings;
  findings.errors = {{Stage::front_matter, "a.md", "x"},
                     {Stage::front_matter, "b.md", "x"},
                     {Stage::results, "c.yml", "x"}};
  findings.defects = {{Stage::bibtex, "a.md", 1, "x"}};
  findings.skipped = {{"d.md", "over text_limit"}};
  metrics.count(marks_of(findings));
  metrics.count({});
  auto after = values(set);
  EXPECT_EQ(after["repo_sync_processed_total{version=canary}"], 2U);
  EXPECT_EQ(after["repo_parse_errors_total{stage=front_matter,version=canary}"], 1U);
  EXPECT_EQ(after["repo_parse_errors_total{stage=results,version=canary}"], 1U);
  EXPECT_EQ(after["repo_parse_errors_total{stage=bibtex,version=canary}"], 0U);
  EXPECT_EQ(after["sync_input_defects_total{stage=bibtex,version=canary}"], 1U);
}

}  // namespace
}  // namespace tanggul::sync
