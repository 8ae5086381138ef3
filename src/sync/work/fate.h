#pragma once

#include <optional>
#include <string>

#include "ports/queue.h"
#include "sync/pool.h"
#include "sync/work/job_end.h"
#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/backoff.h"

namespace tanggul::sync {

struct FateConfig {
  // Failures of its own that a job is allowed, and the waits between them, with full jitter.
  policy::BackoffConfig retry{.attempts = 5, .base = 30s, .cap = 1h};
  // Until what was busy is looked at again, where nobody has said when: U(half, whole), so that
  // those who wait do not come back together.
  Duration rest = 5min;
  // A job that was busy and nothing else for so long is none that waiting helps.
  Duration longest_busy = 7 * 24h;
};

// One run of a job, as it ended.
struct Run {
  JobEnd end = JobEnd::crashed;
  std::string detail;                   // for people, UTF-8
  std::optional<Duration> retry_after;  // as the forge said
};

// What becomes of the job, by the class of its failure:
// - none, or permanent (gone): it is done;
// - transient, crashed: again later, an attempt used; dead ("poison") once they are used up;
// - not its fault (busy, drained): again later, no attempt used; dead ("poison") where that has
// gone
//   on for longest_busy;
// - over what the pool may spend (oversize, oom, timeout): handed to the larger pool once, then
//   dead ("quarantine").
// Not for a job that was lost.
ports::Settlement fate(const Run& run, const ports::Job& job, const Pool& pool,
                       const std::string& release, const FateConfig& config, WallTime now,
                       Rng& rng);

}  // namespace tanggul::sync
