#include "tanggul/base/hyperloglog.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace tanggul {
namespace {

constexpr int kTail = 64 - HyperLogLog::kPrecision;  // bits of a hash beyond the register's number

// The finaliser of MurmurHash3: a bijection after which every bit depends on every other.
std::uint64_t mixed(std::uint64_t h) noexcept {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

// Ertl's σ and τ, for the registers that are empty and those that can grow no further. Both series
// end when a term is lost in the sum.
double sigma(double x) noexcept {
  double z = x, y = 1, before;
  do {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  } while (z != before);
  return z;
}

double tau(double x) noexcept {
  if (x == 0 || x == 1) return 0;
  double z = 1 - x, y = 1, before;
  do {
    x = std::sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  } while (z != before);
  return z / 3;
}

}  // namespace

void HyperLogLog::add(std::uint64_t hash) noexcept {
  const std::uint64_t h = mixed(hash);
  const std::uint64_t tail = h << kPrecision;
  const auto rank = static_cast<std::uint8_t>(tail == 0 ? kTail + 1 : std::countl_zero(tail) + 1);
  std::uint8_t& r = registers_[h >> kTail];
  r = std::max(r, rank);
}

void HyperLogLog::merge(const HyperLogLog& other) noexcept {
  for (std::size_t i = 0; i < kRegisters; ++i)
    registers_[i] = std::max(registers_[i], other.registers_[i]);
}

double HyperLogLog::estimate() const noexcept {
  std::array<double, kTail + 2> with{};  // how many registers have this value
  for (const std::uint8_t r : registers_) ++with[r];
  constexpr double m = kRegisters;
  if (with[0] == m) return 0;
  double z = m * tau((m - with[kTail + 1]) / m);
  for (int value = kTail; value >= 1; --value)
    z = 0.5 * (z + with[static_cast<std::size_t>(value)]);
  z += m * sigma(with[0] / m);
  return m * m / (2 * std::numbers::ln2 * z);
}

}  // namespace tanggul
