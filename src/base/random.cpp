#include "tanggul/base/random.h"

#include <random>

namespace tanggul {

double Rng::unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
double Rng::unit_positive() { return 1.0 - unit(); }
double Rng::between(double low, double high) { return low + (high - low) * unit(); }
Duration Rng::upto(Duration most) {
  if (most <= Duration::zero()) return Duration::zero();
  return std::chrono::duration_cast<Duration>(most * unit());
}

Rng& thread_rng() {
  thread_local Rng rng = [] {
    std::random_device device;
    return Rng((static_cast<std::uint64_t>(device()) << 32) | device());
  }();
  return rng;
}

}  // namespace tanggul
