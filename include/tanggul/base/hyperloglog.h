#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tanggul {

// How many different things there were, in 4 KiB whatever their number: HyperLogLog (Flajolet,
// Fusy, Gandouet, Meunier 2007) over 64-bit hashes, which need no correction for large numbers
// (Heule, Nunkesser, Hall 2013, 4), with 2^12 registers. The standard error is 1.04/64 = 1.6 %, and
// small numbers are all but exact.
//
// The estimate is Ertl's (2017, algorithm 6): its term for the registers at zero is the correction
// for small numbers, and it has no step between that and the raw estimate, where the former two
// need a table of measured bias. Not thread-safe.
class HyperLogLog {
 public:
  static constexpr int kPrecision = 12;
  static constexpr std::size_t kRegisters = std::size_t{1} << kPrecision;

  // `hash` may be any hash of which different things have different values: it is mixed here.
  void add(std::uint64_t hash) noexcept;
  // As if all that `other` has seen had been added here.
  void merge(const HyperLogLog& other) noexcept;
  double estimate() const noexcept;
  void clear() noexcept { registers_.fill(0); }

  bool operator==(const HyperLogLog&) const = default;

 private:
  std::array<std::uint8_t, kRegisters> registers_{};  // each the longest run of zeros, plus 1
};

}  // namespace tanggul
