#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "cache/entry.h"

namespace tanggul::cache {

// Entries by key, bounded in bytes, evicted by S3-FIFO (Yang et al., SOSP 2023). Chosen over
// W-TinyLFU because a hit there writes to a shared sketch and a list, here it bumps one counter of
// the entry: a one-time crawl passes through the small queue (a tenth of the bytes) without
// touching what is used twice, and a hit moves nothing.
//
// Thread-safe; one uncontended lock a call. The bound holds whenever no put() is running. An entry
// handed out lives on after its eviction.
class MemoryTier {
 public:
  // `largest`: the weight of an entry that is still taken; 0: an eighth of the capacity.
  // `most`: how many entries at the most; 0: as many as fit.
  explicit MemoryTier(ByteCount capacity, ByteCount largest = 0, std::size_t most = 0);
  ~MemoryTier();
  MemoryTier(const MemoryTier&) = delete;
  MemoryTier& operator=(const MemoryTier&) = delete;

  // Another bound from now on: what is over it is evicted at once.
  void set_capacity(ByteCount capacity, ByteCount largest = 0);

  EntryPtr get(std::string_view key, std::uint64_t hash) const;
  EntryPtr get(std::string_view key) const { return get(key, hash_bytes(key)); }
  // Replaces what is there. False: the entry is over largest() and was not taken.
  bool put(std::string_view key, EntryPtr entry) { return put(key, std::move(entry), true); }
  // Leaves what is there.
  bool put_new(std::string_view key, EntryPtr entry) { return put(key, std::move(entry), false); }
  void erase(std::string_view key);
  // Erases only if `expected` is still what the key holds.
  void erase(std::string_view key, const EntryPtr& expected);
  // Looks at every entry, one shard locked at a time: for what is rare. `which` calls nothing of
  // this tier. How many went.
  std::size_t erase_if(const std::function<bool(std::string_view key, const Entry& entry)>& which);

  ByteCount bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  ByteCount largest() const noexcept { return largest_.load(std::memory_order_relaxed); }
  std::uint64_t evictions() const noexcept { return evictions_.load(std::memory_order_relaxed); }
  std::size_t size() const;

 private:
  struct Shard;
  static constexpr std::size_t kShards = 16;
  Shard& shard(std::uint64_t hash) const noexcept;
  bool put(std::string_view key, EntryPtr entry, bool replace);
  void make_room(std::size_t first_shard);
  void take_off(ByteCount charge) noexcept;
  bool over() const noexcept { return bytes_ > capacity_ || (most_ > 0 && count_ > most_); }

  std::atomic<ByteCount> capacity_;
  std::atomic<ByteCount> largest_;
  const std::size_t most_;
  std::unique_ptr<Shard[]> shards_;
  std::atomic<ByteCount> bytes_{0};
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace tanggul::cache
