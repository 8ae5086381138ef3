#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "tanggul/policy/coalescing.h"
#include "tanggul/policy/distinct_count.h"
#include "tanggul/policy/key_difference.h"
#include "tanggul/policy/recent_growth.h"

namespace tanggul::shield {

// What this process knows of one key pattern, whatever origins use it, kept through a reload. Lives
// as long as the process. Thread-safe; only misses and once a second somebody come here, never a
// hit.
//
// Memory: 20 KiB of sketches, 20 KiB of samples, and the latest 256 missed keys, of each the first
// 512 bytes: under 200 KiB.
class PatternState {
 public:
  PatternState(const std::string& name, MetricSet& metrics);
  PatternState(const PatternState&) = delete;
  PatternState& operator=(const PatternState&) = delete;

  Counter& shared() const noexcept { return shared_; }
  Counter& flights_started() const noexcept { return flights_started_; }
  Counter& flights_shared() const noexcept { return flights_shared_; }

  // A request is about to cost a fetch. `key` is what requests would have to share for it, `parts`
  // the same in its parts.
  void missed(std::string_view key, policy::MissedKey parts, MonoTime now);
  void sample(MonoTime now);  // about once a second

  // Of the last five minutes.
  double distinct_keys(MonoTime now) const;
  policy::CoalescingFigures recent(MonoTime now) const;  // without the origin's latency
  std::uint64_t shared_lately(MonoTime now) const;       // responses
  policy::KeyDifference difference(MonoTime now) const;

 private:
  static constexpr std::size_t kLatest = 256, kTarget = 512;
  struct Missed {
    MonoTime at;
    policy::MissedKey key;
  };

  policy::RecentGrowth::Values counters() const;

  Counter& shared_;
  Counter& flights_started_;
  Counter& flights_shared_;
  mutable Mutex mutex_;
  policy::DistinctCount distinct_ GUARDED_BY(mutex_);
  policy::RecentGrowth growth_ GUARDED_BY(mutex_);
  std::vector<Missed> latest_ GUARDED_BY(mutex_);  // a ring, once it is full
  std::size_t next_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tanggul::shield
