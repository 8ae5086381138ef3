#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "base/clock.h"

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

// A name that nobody else has and nobody can guess, so many bytes from the system's source of
// secrets in hex. Throws std::runtime_error where that has none to give.
std::string random_name(std::size_t bytes = 16);

}  // namespace tanggul
