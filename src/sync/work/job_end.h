#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tanggul::sync {

// How one run of a job ended; the label `outcome` of sync_jobs_total.
enum class JobEnd {
  changed,    // read, and written to the catalog
  unchanged,  // this release has read this commit before
  empty,      // a repository without a commit
  gone,       // there is no such repository, or none that we may see, and there will be none
  transient,  // a failure of the job's own that may not come again
  busy,       // not the job's fault: a limit, a forge that is down
  oversize,   // more than the pool may spend on disk or text
  oom,        // more than it may have in memory
  timeout,    // more than it may take of time
  crashed,    // its process ended without a word
  drained,    // ended by us, who are ending
  lost,       // its lease went to another while it ran
};
constexpr std::size_t kJobEnds = 12;

std::string_view name(JobEnd end) noexcept;  // "unchanged"
std::optional<JobEnd> job_end_of(std::string_view name) noexcept;

}  // namespace tanggul::sync
