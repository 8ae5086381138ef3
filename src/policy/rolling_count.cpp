#include "tanggul/policy/rolling_count.h"

#include <algorithm>

namespace tanggul::policy {

RollingCount::RollingCount(Duration window)
    : slot_length_(std::max<Duration>(window / kSlots, Duration(1))) {}

std::int64_t RollingCount::number_at(MonoTime now) const {
  const auto since = now.time_since_epoch();
  const auto whole = since / slot_length_;
  return since % slot_length_ < Duration::zero() ? whole - 1 : whole;  // floor, below zero as well
}

void RollingCount::add(MonoTime now, std::uint64_t n) {
  const auto number = number_at(now);
  auto& slot = slots_[static_cast<std::size_t>(((number % kSlots) + kSlots) % kSlots)];
  if (slot.number > number) return;  // a lap ago already
  if (slot.number < number) slot = {number, 0};
  slot.count += n;
}

std::uint64_t RollingCount::total(MonoTime now) const {
  const auto newest = number_at(now);
  std::uint64_t sum = 0;
  for (const auto& slot : slots_)
    if (slot.number > newest - kSlots && slot.number <= newest) sum += slot.count;
  return sum;
}

void RollingCount::clear() { slots_.fill({}); }

}  // namespace tanggul::policy
