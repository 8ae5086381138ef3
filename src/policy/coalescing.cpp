#include "tanggul/policy/coalescing.h"

#include <cmath>

namespace tanggul::policy {

bool coalescing_fails(const CoalescingFigures& f, const CoalescingLimits& limits) {
  const double distinct = std::round(f.distinct_keys);  // an estimate of a whole number
  const auto fetches = static_cast<double>(f.fetches);
  return distinct >= limits.distinct_keys &&
         static_cast<double>(f.shared) < limits.shared_ratio * fetches &&
         distinct >= limits.distinct_ratio * fetches && f.origin_latency >= limits.origin_latency;
}

}  // namespace tanggul::policy
