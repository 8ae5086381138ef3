#include "policy/xfetch.h"

#include <cmath>

namespace tanggul::policy {

bool refresh_early(WallTime now, WallTime expiry, Duration delta, double beta, Rng& rng) {
  if (now >= expiry) return true;
  if (!(beta > 0) || delta <= Duration::zero()) return false;
  return -seconds(delta) * beta * std::log(rng.unit_positive()) >= seconds(expiry - now);
}

}  // namespace tanggul::policy
