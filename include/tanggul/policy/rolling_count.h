#pragma once

#include <array>
#include <cstdint>

#include "tanggul/base/clock.h"

namespace tanggul::policy {

// How often something happened in the last `window`, in constant memory: the window is cut into
// kSlots slots, and the slot in progress counts as the newest. So the sum spans between 19/20 of
// the window and all of it, never more. Not thread-safe.
class RollingCount {
 public:
  explicit RollingCount(Duration window);

  void add(MonoTime now, std::uint64_t n = 1);
  std::uint64_t total(MonoTime now) const;
  void clear();

 private:
  static constexpr std::int64_t kSlots = 20;
  struct Slot {
    std::int64_t number = INT64_MIN;  // since the clock's beginning; tells an old lap from this one
    std::uint64_t count = 0;
  };

  std::int64_t number_at(MonoTime now) const;

  Duration slot_length_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace tanggul::policy
