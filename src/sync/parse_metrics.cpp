#include "sync/parse_metrics.h"

#include <algorithm>

namespace tanggul::sync {
namespace {

template <class Troubles>
bool any(const Troubles& troubles, Stage stage) {
  return std::any_of(troubles.begin(), troubles.end(),
                     [stage](const auto& t) { return t.stage == stage; });
}

}  // namespace

StageMarks marks_of(const Findings& findings) {
  StageMarks out;
  for (std::size_t i = 0; i < kStages; ++i) {
    out.errors[i] = any(findings.errors, static_cast<Stage>(i));
    out.defects[i] = any(findings.defects, static_cast<Stage>(i));
  }
  return out;
}

ParseMetrics::ParseMetrics(MetricSet& metrics, const std::string& version)
    : processed_(metrics.counter("repo_sync_processed_total",
                                 "Jobs that have ended, failed ones too", {{"version", version}})) {
  for (std::size_t i = 0; i < kStages; ++i) {
    const Labels labels = {{"stage", std::string(name(static_cast<Stage>(i)))},
                           {"version", version}};
    errors_[i] = &metrics.counter("repo_parse_errors_total",
                                  "Jobs in which a stage of parsing gave up, once each", labels);
    defects_[i] =
        &metrics.counter("sync_input_defects_total",
                         "Jobs in which a stage of parsing met imperfect input, once each", labels);
  }
}

void ParseMetrics::count(const StageMarks& marks) {
  processed_.add();
  for (std::size_t i = 0; i < kStages; ++i) {
    if (marks.errors[i]) errors_[i]->add();
    if (marks.defects[i]) defects_[i]->add();
  }
}

}  // namespace tanggul::sync
