#include "tanggul/policy/xfetch.h"

#include <cmath>

namespace tanggul::policy {

bool refresh_early(WallTime now, WallTime expiry, Duration delta, double beta, Rng& rng) {
  if (now >= expiry) return true;
  if (!(beta > 0) || delta <= Duration::zero()) return false;
  // U is a multiple of 2^-53, so -ln(U) is never more than this: most hits need no chance at all.
  constexpr double kMost = 36.8;
  if (seconds(expiry - now) > seconds(delta) * beta * kMost) return false;
  return -seconds(delta) * beta * std::log(rng.unit_positive()) >= seconds(expiry - now);
}

}  // namespace tanggul::policy
