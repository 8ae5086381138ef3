#pragma once

#include <cstdint>

#include "tanggul/base/clock.h"
#include "tanggul/policy/rolling_count.h"

namespace tanggul::policy {

// Retries scheduled or running ≤ max(floor, ratio · attempts started in the last window), so that
// retries never multiply the load on an origin that is failing. A retry is counted from the moment
// it is scheduled: one that sleeps in its backoff is already on its way (envoyproxy/envoy#30205).
// Constant memory; not thread-safe.
class RetryBudget {
 public:
  explicit RetryBudget(double ratio = 0.2, int floor = 3, Duration window = 10s);

  void configure(double ratio);
  void attempt_started(MonoTime now);  // first attempts and retries alike
  // True: the caller may schedule a retry and owes one release() when that attempt has ended or was
  // given up.
  bool reserve(MonoTime now);
  void release();

  std::uint64_t reserved() const { return reserved_; }
  std::uint64_t allowed(MonoTime now) const;

 private:
  double ratio_ = 0;
  std::uint64_t floor_;
  RollingCount attempts_;
  std::uint64_t reserved_ = 0;
};

}  // namespace tanggul::policy
