#pragma once

#include "tanggul/base/clock.h"

namespace tanggul::policy {

struct ConcurrencyConfig {
  int concurrency = 32;  // the limit, or where the adaptive one starts
  bool adaptive = false;
  int min = 1;
  int max = 1000;
};

// How many attempts an origin may have in flight. Adaptive: Gradient2 of Netflix's
// concurrency-limits. While round trips stay near their long average the limit grows by a queue of
// its square root; as they lengthen past 1.5 times that average it shrinks with their ratio. It
// stays within [min, max] and never grows while half of it is unused, since such a sample does not
// show that more would be served. Not thread-safe.
class ConcurrencyLimit {
 public:
  explicit ConcurrencyLimit(ConcurrencyConfig config);

  int limit() const { return static_cast<int>(estimate_); }
  // One attempt has ended. `in_flight` counts it; `dropped`: it failed for want of capacity (timed
  // out, 429, 503), so its time says nothing.
  void sample(Duration rtt, int in_flight, bool dropped);

 private:
  double update_average(double rtt);
  void move_towards(double target);

  ConcurrencyConfig config_;
  double estimate_;
  double average_ = 0;  // of round trips, in seconds
  int warm_ = 0;        // samples in it, up to the end of its warm-up
};

}  // namespace tanggul::policy
