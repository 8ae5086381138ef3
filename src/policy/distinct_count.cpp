#include "tanggul/policy/distinct_count.h"

namespace tanggul::policy {
namespace {

std::int64_t floor_div(Duration since, Duration slot) {
  const auto whole = since / slot;
  return since % slot < Duration::zero() ? whole - 1 : whole;
}

}  // namespace

void DistinctCount::add(std::uint64_t hash, MonoTime now) noexcept {
  const std::int64_t number = floor_div(now.time_since_epoch(), kSlot);
  Slot& slot = slots_[static_cast<std::size_t>(((number % kSlots) + kSlots) % kSlots)];
  if (slot.number > number) return;  // a lap ago already
  if (slot.number < number) {
    slot.number = number;
    slot.keys.clear();
  }
  slot.keys.add(hash);
}

double DistinctCount::estimate(MonoTime now) const noexcept {
  const std::int64_t newest = floor_div(now.time_since_epoch(), kSlot);
  HyperLogLog all;
  for (const Slot& slot : slots_)
    if (slot.number > newest - kSlots && slot.number <= newest) all.merge(slot.keys);
  return all.estimate();
}

}  // namespace tanggul::policy
