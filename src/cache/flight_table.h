#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "cache/flight.h"

namespace tanggul::cache {

// The running flights of this process, one a key. Thread-safe; empty when nothing runs.
class FlightTable {
 public:
  struct Joined {
    FlightPtr flight;  // counted in: detach() when done with it
    bool leader = false;
  };
  // The running flight of this key, or a new one that the caller has to fetch for. A flight that is
  // failing or given up is not joined but replaced.
  Joined join(const std::string& key, const std::string& directory);

  // The running flight, not counted in; nullptr if there is none.
  FlightPtr find(const std::string& key) const;
  // The next caller starts anew; the running flight goes on for those it has.
  void forget(const std::string& key);
  // The same for every key that `which` chooses, and what those flights bring is not stored. How
  // many there were.
  std::size_t outdate_if(const std::function<bool(std::string_view key)>& which);
  // Nobody joins any of those that run now; what they bring is judged when it is there.
  void forget_all();
  // Takes the flight out, if the key is still its own: after forget() a successor may have it.
  void remove(const FlightPtr& flight);

  std::size_t size() const;

 private:
  static constexpr std::size_t kShards = 16;
  struct alignas(64) Shard {
    mutable Mutex mutex;
    std::unordered_map<std::string, FlightPtr> flights GUARDED_BY(mutex);
  };
  Shard& shard(std::string_view key) const { return shards_[hash_bytes(key) % kShards]; }

  std::unique_ptr<Shard[]> shards_{new Shard[kShards]};
};

}  // namespace tanggul::cache
