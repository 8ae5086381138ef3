#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "sync/parse_metrics.h"
#include "sync/work/job_end.h"
#include "tanggul/base/clock.h"

namespace tanggul::sync {

// What a job spends its time on; the label `stage` of sync_job_duration_seconds.
enum class JobStage { lookup, clone, read, commit };
constexpr std::size_t kJobStages = 4;
std::string_view name(JobStage stage) noexcept;

// What the process of a job says when it has come to its end by itself.
struct JobReport {
  JobEnd end = JobEnd::transient;
  std::string url, commit;  // of the repository, as it turned out to be; empty: not known
  std::string detail;       // for people
  std::optional<Duration> retry_after;
  std::array<std::optional<Duration>, kJobStages> spent;
  StageMarks marks;
};

// One line of JSON, and back. What comes back is checked: who sent it has read what strangers
// wrote.
std::string to_json(const JobReport& report);
Expected<JobReport> job_report_of(std::string_view json);

}  // namespace tanggul::sync
