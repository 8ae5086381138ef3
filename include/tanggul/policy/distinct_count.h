#pragma once

#include <array>
#include <cstdint>

#include "tanggul/base/clock.h"
#include "tanggul/base/hyperloglog.h"

namespace tanggul::policy {

// How many different keys there were in the last five minutes, in 20 KiB: one sketch for each
// minute, the one in progress being the newest. So it looks back between four minutes and five,
// never more. Not thread-safe.
class DistinctCount {
 public:
  static constexpr Duration kWindow = 5min;

  void add(std::uint64_t hash, MonoTime now) noexcept;
  double estimate(MonoTime now) const noexcept;

 private:
  static constexpr Duration kSlot = 1min;
  static constexpr std::int64_t kSlots = kWindow / kSlot;
  struct Slot {
    std::int64_t number = INT64_MIN;  // of its minute; tells an old lap from this one
    HyperLogLog keys;
  };

  std::array<Slot, kSlots> slots_;
};

}  // namespace tanggul::policy
