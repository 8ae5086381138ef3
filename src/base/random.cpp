#include "base/random.h"

#include <openssl/rand.h>

#include <stdexcept>

#include "base/bytes.h"

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

std::string random_name(std::size_t bytes) {
  std::string raw(bytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), static_cast<int>(bytes)) != 1)
    throw std::runtime_error("no randomness to be had");
  return to_hex(raw);
}

}  // namespace tanggul
