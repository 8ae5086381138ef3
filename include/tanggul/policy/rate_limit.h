#pragma once

#include <optional>

#include "tanggul/base/clock.h"

namespace tanggul::policy {

// The generic cell rate algorithm: one time stamp instead of a bucket. In any interval of length t
// it lets through at most per_second · t + burst. A rate of 0 or less is no limit; a burst below 1
// counts as 1. Not thread-safe.
class RateLimit {
 public:
  RateLimit(double per_second, double burst);

  Duration delay(MonoTime now) const;  // 0: could go now
  bool admit(MonoTime now);            // takes a slot, or takes nothing
  // Takes the next slot and says how long to wait for it.
  Duration reserve(MonoTime now);

 private:
  bool limited() const { return interval_ > Duration::zero(); }

  Duration interval_{};              // between two slots
  Duration tolerance_{};             // how far ahead of an even flow the burst may run
  std::optional<MonoTime> arrival_;  // when the next slot would be due in an even flow
};

}  // namespace tanggul::policy
