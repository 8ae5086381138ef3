#pragma once

#include <cstdint>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::policy {

// By how much counters have grown of late, from samples of them taken about once a second: whoever
// counts has no further work. Remembers five minutes. A span is cut at the oldest sample within it,
// so it is never longer than asked, and up to a second shorter; before the first sample was taken
// it is the time since then. Memory: 301 samples of each counter. Not thread-safe.
class RecentGrowth {
 public:
  using Values = std::vector<std::uint64_t>;
  static constexpr Duration kMost = 5min;

  // Begins with what the counters show now.
  RecentGrowth(MonoTime now, Values values);

  // More than one in a second are ignored.
  void sample(MonoTime now, const Values& values);
  // Each counter's growth from `span` ago to `values`, which it shows now.
  Values growth(MonoTime now, Duration span, const Values& values) const;

 private:
  static constexpr Duration kEvery = 1s;
  static constexpr std::size_t kSamples = kMost / kEvery + 1;
  struct Sample {
    MonoTime at;
    Values values;
  };

  std::vector<Sample> ring_;  // grows to kSamples
  std::size_t newest_ = 0;
};

}  // namespace tanggul::policy
