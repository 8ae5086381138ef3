#pragma once

#include <array>
#include <string>

#include "base/metrics.h"
#include "sync/read/findings.h"

namespace tanggul::sync {

// By stage of parsing: whether it gave up, and whether it met what is imperfect.
struct StageMarks {
  std::array<bool, kStages> errors{}, defects{};
};
StageMarks marks_of(const Findings& findings);

// What reading has cost jobs, by the version of the release that reads. A stage counts once a job,
// however many files it gave up on; input that is merely imperfect is a defect; a skipped file is
// neither. All series exist at 0 from the start. Safe from any thread.
class ParseMetrics {
 public:
  ParseMetrics(MetricSet& metrics, const std::string& version);

  // Of a job that has ended, whether it did well or not.
  void count(const StageMarks& marks);

 private:
  Counter* errors_[kStages];
  Counter* defects_[kStages];
  Counter& processed_;
};

}  // namespace tanggul::sync
