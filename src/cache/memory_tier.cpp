#include "cache/memory_tier.h"

#include <deque>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"

namespace tanggul::cache {
namespace {

struct Node {
  std::string key;
  std::uint64_t hash = 0;
  EntryPtr entry;
  ByteCount charge = 0;
  std::uint8_t uses = 0;  // capped at 3, as in the paper
  bool in_main = false;
};
using Queue = std::list<Node>;

// Keys looked up by their hash, which the caller has computed already.
struct Probe {
  std::string_view key;
  std::uint64_t hash;
};
struct Hasher {
  using is_transparent = void;
  std::size_t operator()(const Probe& p) const noexcept { return p.hash; }
};
struct SameKey {
  using is_transparent = void;
  bool operator()(const Probe& a, const Probe& b) const noexcept { return a.key == b.key; }
};

// Hashes of entries lately evicted from the small queue: a second miss goes straight to main.
class Ghosts {
 public:
  void add(std::uint64_t hash, std::size_t most) {
    if (!count_.emplace(hash, 0).second) return;
    order_.push_back(hash);
    while (order_.size() > most) {
      count_.erase(order_.front());
      order_.pop_front();
    }
  }
  bool has(std::uint64_t hash) const { return count_.contains(hash); }

 private:
  std::deque<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, char> count_;
};

}  // namespace

struct alignas(64) MemoryTier::Shard {
  mutable Mutex mutex;
  // The views in the table point into the nodes' keys.
  std::unordered_map<Probe, Queue::iterator, Hasher, SameKey> table GUARDED_BY(mutex);
  Queue small GUARDED_BY(mutex);
  Queue main GUARDED_BY(mutex);
  ByteCount small_bytes GUARDED_BY(mutex) = 0;
  Ghosts ghosts GUARDED_BY(mutex);

  ByteCount remove(Queue::iterator node) REQUIRES(mutex) {
    const ByteCount charge = node->charge;
    table.erase(Probe{node->key, node->hash});
    if (node->in_main) {
      main.erase(node);
    } else {
      small_bytes -= charge;
      small.erase(node);
    }
    return charge;
  }

  // Evicts one entry; what it weighed, 0 when the shard is empty. Small is drained first while it
  // holds more than its tenth.
  ByteCount evict(ByteCount small_share) REQUIRES(mutex) {
    for (;;) {
      if (!small.empty() && (small_bytes > small_share || main.empty())) {
        const auto oldest = small.begin();
        if (oldest->uses > 0) {  // asked for again while on trial
          oldest->uses = 0;
          oldest->in_main = true;
          small_bytes -= oldest->charge;
          main.splice(main.end(), small, oldest);
          continue;
        }
        ghosts.add(oldest->hash, table.size() + 64);
        return remove(oldest);
      }
      if (main.empty()) return 0;
      const auto oldest = main.begin();
      if (oldest->uses > 0) {
        --oldest->uses;
        main.splice(main.end(), main, oldest);
        continue;
      }
      return remove(oldest);
    }
  }
};

MemoryTier::MemoryTier(ByteCount capacity, ByteCount largest, std::size_t most)
    : capacity_(capacity),
      largest_(largest > 0 ? largest : capacity / 8),
      most_(most),
      shards_(new Shard[kShards]) {}
MemoryTier::~MemoryTier() = default;

void MemoryTier::set_capacity(ByteCount capacity, ByteCount largest) {
  capacity_ = capacity;
  largest_ = largest > 0 ? largest : capacity / 8;
  make_room(0);
}

MemoryTier::Shard& MemoryTier::shard(std::uint64_t hash) const noexcept {
  return shards_[(hash >> 48) % kShards];
}

EntryPtr MemoryTier::get(std::string_view key, std::uint64_t hash) const {
  Shard& s = shard(hash);
  const Lock lock(s.mutex);
  const auto found = s.table.find(Probe{key, hash});
  if (found == s.table.end()) return nullptr;
  Node& node = *found->second;
  if (node.uses < 3) ++node.uses;
  return node.entry;
}

bool MemoryTier::put(std::string_view key, EntryPtr entry, bool replace) {
  const ByteCount charge = entry->charge(key);
  if (charge > largest()) {
    if (replace) erase(key);  // what it would have replaced is out of date
    return false;
  }
  const std::uint64_t hash = hash_bytes(key);
  EntryPtr old;  // destroyed after the lock is released
  {
    Shard& s = shard(hash);
    const Lock lock(s.mutex);
    if (const auto found = s.table.find(Probe{key, hash}); found != s.table.end()) {
      if (!replace) return true;
      Node& node = *found->second;
      bytes_ += charge - node.charge;
      if (!node.in_main) s.small_bytes += charge - node.charge;
      node.charge = charge;
      old = std::exchange(node.entry, std::move(entry));
    } else {
      const bool second_time = s.ghosts.has(hash);
      Queue& queue = second_time ? s.main : s.small;
      queue.push_back({std::string(key), hash, std::move(entry), charge, 0, second_time});
      const auto node = std::prev(queue.end());
      s.table.emplace(Probe{node->key, hash}, node);
      if (!second_time) s.small_bytes += charge;
      bytes_ += charge;
      ++count_;
    }
  }
  if (over()) make_room((hash >> 48) % kShards);
  return true;
}

void MemoryTier::make_room(std::size_t first_shard) {
  // The own shard first, then the others in turn: a shard may be full of what is used.
  for (std::size_t i = 0, idle = 0; over() && idle < kShards; ++i) {
    Shard& s = shards_[(first_shard + i) % kShards];
    const Lock lock(s.mutex);
    const ByteCount freed = s.evict(capacity_ / kShards / 10);
    bytes_ -= freed;
    if (freed > 0) --count_;
    if (freed > 0) ++evictions_;
    idle = freed > 0 ? 0 : idle + 1;
  }
}

void MemoryTier::take_off(ByteCount charge) noexcept {
  bytes_ -= charge;
  --count_;
}

void MemoryTier::erase(std::string_view key) {
  const std::uint64_t hash = hash_bytes(key);
  Shard& s = shard(hash);
  const Lock lock(s.mutex);
  if (const auto found = s.table.find(Probe{key, hash}); found != s.table.end())
    take_off(s.remove(found->second));
}

void MemoryTier::erase(std::string_view key, const EntryPtr& expected) {
  const std::uint64_t hash = hash_bytes(key);
  Shard& s = shard(hash);
  const Lock lock(s.mutex);
  const auto found = s.table.find(Probe{key, hash});
  if (found != s.table.end() && found->second->entry == expected) take_off(s.remove(found->second));
}

std::size_t MemoryTier::erase_if(
    const std::function<bool(std::string_view key, const Entry& entry)>& which) {
  std::vector<EntryPtr> gone;  // destroyed after the locks are released
  for (std::size_t i = 0; i < kShards; ++i) {
    Shard& s = shards_[i];
    const Lock lock(s.mutex);
    std::vector<Queue::iterator> chosen;
    for (const auto& [probe, node] : s.table)
      if (which(node->key, *node->entry)) chosen.push_back(node);
    for (const auto node : chosen) {
      gone.push_back(node->entry);
      take_off(s.remove(node));
    }
  }
  return gone.size();
}

std::size_t MemoryTier::size() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < kShards; ++i) {
    const Lock lock(shards_[i].mutex);
    n += shards_[i].table.size();
  }
  return n;
}

}  // namespace tanggul::cache
