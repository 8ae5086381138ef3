#pragma once

#include <cstddef>
#include <cstdint>

#include "tanggul/base/clock.h"
#include "tanggul/policy/backoff.h"
#include "tanggul/policy/breaker.h"
#include "tanggul/policy/concurrency_limit.h"

namespace tanggul {

// The defaults are those of the shield's SQL read-through.
struct ReadThroughConfig {
  // --- what is remembered ---
  Duration ttl = 5min;        // of a value
  Duration jitter = 30s;      // U(0, min(jitter, 10 % of the lifetime)) is added to each lifetime
  Duration absent_ttl = 60s;  // of an absence; 0: not remembered
  Duration failure_ttl = 0s;  // of a failed load; 0: the next call loads anew, the breaker does
                              // the rest. Longer than a minute would block recovery
  Duration stale_while_revalidate = 10s;  // past its ttl a value is served while a refresh runs
  Duration stale_if_error = 24h;          // past its ttl a value stands in for a failed load
  double beta = 1.0;  // XFetch: larger refreshes earlier, 0 never before the expiry

  std::size_t max_entries = 100'000;  // values, absences and failures together; the least
                                      // recently used goes
  std::uint64_t max_weight = 0;       // of the values, by the weigher; 0: no bound

  // --- how it is loaded ---
  Duration load_deadline = 3s;  // of one load, waiting and retries included, whoever waits for it
  policy::BackoffConfig retry{.attempts = 1};  // attempts, and the sleep between them: full jitter
  double retry_ratio = 0.2;                    // retries ≤ max(3, this · attempts) of 10 s
  policy::BreakerConfig breaker{};
  policy::ConcurrencyConfig concurrency{};  // attempts at once, of all keys
  std::size_t queue = 1000;                 // loads that may wait for a place
  // Each; its load_deadline at most. Well below it, or loads begin that have no time left to end.
  Duration queue_wait = 1s;
  double rate = 0;   // attempts a second; 0: no limit
  double burst = 1;  // of them at once
};

// Counted since the beginning, but for those that say what is now.
struct ReadThroughFigures {
  std::uint64_t hits = 0, stale = 0, negative = 0, misses = 0, coalesced = 0;  // calls, by ReadHow
  std::uint64_t errors = 0;                           // calls that got neither value nor absence
  std::uint64_t stale_if_error = 0;                   // of the stale: in place of a failed load
  std::uint64_t deadlines = 0;                        // calls whose own time was over
  std::uint64_t loads = 0;                            // flights that had something to load
  std::uint64_t refreshes = 0;                        // of the loads: in the background
  std::uint64_t attempts = 0;                         // calls of the loader
  std::uint64_t retries = 0;                          // of the attempts
  std::uint64_t failures = 0;                         // of the attempts: thrown or too slow
  std::uint64_t refused_open = 0, refused_limit = 0;  // attempts that breaker or limits kept away
  std::uint64_t evictions = 0;

  std::size_t entries = 0;  // now, as all below
  std::uint64_t weight = 0;
  std::size_t in_flight = 0;  // keys that are being loaded
  std::size_t running = 0;    // attempts
  std::size_t queued = 0;
  policy::BreakerState breaker = policy::BreakerState::closed;
};

}  // namespace tanggul
