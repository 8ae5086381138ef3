#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "tanggul/base/clock.h"

namespace tanggul {

// The source of chance, always an argument of a decision so that a test can seed it. One per
// thread; not thread-safe.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  double unit();           // [0, 1)
  double unit_positive();  // (0, 1], fit for a logarithm
  double between(double low, double high);
  Duration upto(Duration most);  // [0, most]; 0 where most is not positive

 private:
  std::mt19937_64 engine_;
};

// This thread's generator, seeded from the system once.
Rng& thread_rng();

}  // namespace tanggul
