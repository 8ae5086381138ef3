#include "tanggul/policy/backoff.h"

#include <algorithm>

namespace tanggul::policy {

Duration doubled(Duration base, int exponent, Duration cap) {
  if (base <= Duration::zero() || cap <= Duration::zero()) return Duration::zero();
  exponent = std::max(exponent, 0);
  if (exponent >= 63 || base.count() > (cap.count() >> exponent)) return cap;
  return base * (std::int64_t{1} << exponent);
}

Duration full_jitter(const BackoffConfig& config, int exponent, Rng& rng) {
  return rng.upto(doubled(config.base, exponent, config.cap));
}

}  // namespace tanggul::policy
