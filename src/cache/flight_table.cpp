#include "cache/flight_table.h"

namespace tanggul::cache {

FlightTable::Joined FlightTable::join(const std::string& key, const std::string& directory) {
  Shard& s = shard(key);
  const Lock lock(s.mutex);
  FlightPtr& slot = s.flights[key];
  // attach() and not a look at the phase: between the two the flight could begin to fail.
  if (slot && slot->attach()) return {slot, false};
  slot = std::make_shared<Flight>(key, directory);
  slot->attach();
  return {slot, true};
}

FlightPtr FlightTable::find(const std::string& key) const {
  Shard& s = shard(key);
  const Lock lock(s.mutex);
  const auto found = s.flights.find(key);
  return found == s.flights.end() ? nullptr : found->second;
}

void FlightTable::forget(const std::string& key) {
  Shard& s = shard(key);
  const Lock lock(s.mutex);
  s.flights.erase(key);
}

std::size_t FlightTable::outdate_if(const std::function<bool(std::string_view key)>& which) {
  std::size_t outdated = 0;
  for (std::size_t i = 0; i < kShards; ++i) {
    const Lock lock(shards_[i].mutex);
    outdated += std::erase_if(shards_[i].flights, [&](const auto& running) {
      if (!which(running.first)) return false;
      running.second->forbid_store();
      return true;
    });
  }
  return outdated;
}

void FlightTable::forget_all() {
  for (std::size_t i = 0; i < kShards; ++i) {
    const Lock lock(shards_[i].mutex);
    shards_[i].flights.clear();
  }
}

void FlightTable::remove(const FlightPtr& flight) {
  Shard& s = shard(flight->key());
  const Lock lock(s.mutex);
  const auto found = s.flights.find(flight->key());
  if (found != s.flights.end() && found->second == flight) s.flights.erase(found);
}

std::size_t FlightTable::size() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < kShards; ++i) {
    const Lock lock(shards_[i].mutex);
    n += shards_[i].flights.size();
  }
  return n;
}

}  // namespace tanggul::cache
