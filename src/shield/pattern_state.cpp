#include "shield/pattern_state.h"

#include "base/bytes.h"

namespace tanggul::shield {

PatternState::PatternState(const std::string& name, MetricSet& metrics)
    : shared_(metrics.counter("singleflight_shared_total",
                              "Responses that another request's fetch paid for",
                              {{"key_pattern", name}})),
      flights_started_(metrics.counter("tanggul_flights_started_total", "Fetches started",
                                       {{"key_pattern", name}})),
      flights_shared_(metrics.counter("tanggul_flights_shared_total",
                                      "Fetches that more than one request waited for",
                                      {{"key_pattern", name}})),
      growth_(MonoClock::now(), counters()) {
  metrics.gauge_fn("tanggul_distinct_keys", "Distinct keys of the misses of the last 5 minutes",
                   {{"key_pattern", name}}, [this] { return distinct_keys(MonoClock::now()); });
}

void PatternState::missed(std::string_view key, policy::MissedKey parts, MonoTime now) {
  const std::uint64_t hash = hash_bytes(key);
  if (parts.target.size() > kTarget) parts.target.resize(kTarget);
  parts.target.shrink_to_fit();
  const Lock lock(mutex_);
  distinct_.add(hash, now);
  if (latest_.size() < kLatest) {
    latest_.push_back({now, std::move(parts)});
    return;
  }
  // Swapped: what was there is freed after the lock.
  std::swap(latest_[next_].key, parts);
  latest_[next_].at = now;
  next_ = (next_ + 1) % kLatest;
}

policy::RecentGrowth::Values PatternState::counters() const {
  return {flights_started_.value(), flights_shared_.value(), shared_.value()};
}

void PatternState::sample(MonoTime now) {
  const Lock lock(mutex_);
  growth_.sample(now, counters());
}

double PatternState::distinct_keys(MonoTime now) const {
  const Lock lock(mutex_);
  return distinct_.estimate(now);
}

policy::CoalescingFigures PatternState::recent(MonoTime now) const {
  const Lock lock(mutex_);
  const auto grown = growth_.growth(now, policy::DistinctCount::kWindow, counters());
  return {distinct_.estimate(now), grown[0], grown[1], {}};
}

std::uint64_t PatternState::shared_lately(MonoTime now) const {
  const Lock lock(mutex_);
  return growth_.growth(now, policy::DistinctCount::kWindow, counters())[2];
}

policy::KeyDifference PatternState::difference(MonoTime now) const {
  std::vector<policy::MissedKey> keys;
  {
    const Lock lock(mutex_);
    for (const Missed& m : latest_)
      if (m.at > now - policy::DistinctCount::kWindow) keys.push_back(m.key);
  }
  return policy::key_difference(keys);
}

}  // namespace tanggul::shield
