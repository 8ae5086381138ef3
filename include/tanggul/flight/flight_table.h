#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tanggul/flight/flight.h"

namespace tanggul::flight {

// The flights under way, one a key. Sharded, so that threads with different keys seldom meet; a
// flight is its own place in its shard's chain, so that starting one is one allocation. The chains
// grow and shrink with what is in them: after a storm of keys little is left. Thread-safe.
template <class Key, class Value, class Hash, class Equal>
class FlightTable {
 public:
  struct Entry : Flight<Value> {
    using ValueType = Value;
    template <class K>
    Entry(const K& k, std::uint64_t h, std::thread::id p) : key(k), hash(h), pilot(p) {}

    const Key key;
    const std::uint64_t hash;
    std::atomic<std::thread::id> pilot;  // the thread that runs fn; none for a coroutine
    std::shared_ptr<Entry> next;         // guarded by the shard's mutex
  };
  using EntryPtr = std::shared_ptr<Entry>;

  struct Boarding {
    EntryPtr entry;
    bool starts;  // the caller owes the flight its end
  };

  FlightTable() = default;
  FlightTable(const FlightTable&) = delete;
  FlightTable& operator=(const FlightTable&) = delete;

  // The key's flight; a new one where there is none.
  template <class K>
  Boarding board(const K& key, std::thread::id pilot) {
    const std::uint64_t hash = mixed(key);
    Shard& shard = shard_of(hash);
    const std::lock_guard lock(shard.mutex);
    if (EntryPtr* found = shard.find(hash, key)) return {*found, false};
    auto entry = std::make_shared<Entry>(key, hash, pilot);
    shard.insert(entry);
    return {std::move(entry), true};
  }

  // Goes by the flight and not by its key, so that a successor is never removed.
  void remove(const Entry& entry) noexcept {
    Shard& shard = shard_of(entry.hash);
    EntryPtr removed;  // its last owner may be this one: destroyed after the lock
    const std::lock_guard lock(shard.mutex);
    EntryPtr* place = shard.chain(entry.hash);
    while (*place && place->get() != &entry) place = &(*place)->next;
    if (*place) removed = shard.take(*place);
  }
  template <class K>
  bool forget(const K& key) {
    const std::uint64_t hash = mixed(key);
    Shard& shard = shard_of(hash);
    EntryPtr removed;
    const std::lock_guard lock(shard.mutex);
    EntryPtr* found = shard.find(hash, key);
    if (found != nullptr) removed = shard.take(*found);
    return removed != nullptr;
  }

  std::size_t size() const {
    std::size_t n = 0;
    for (const Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      n += shard.count;
    }
    return n;
  }
  // How many threads wait for the key's flight; nullopt: there is none.
  template <class K>
  std::optional<std::size_t> sleepers(const K& key) {
    const std::uint64_t hash = mixed(key);
    Shard& shard = shard_of(hash);
    const std::lock_guard lock(shard.mutex);
    EntryPtr* found = shard.find(hash, key);
    if (found == nullptr) return std::nullopt;
    return (*found)->sleepers();
  }
  // How many places the chains have, for who wants to see that it is bounded.
  std::size_t places() const {
    std::size_t n = 0;
    for (const Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      n += shard.size;
    }
    return n;
  }

 private:
  static constexpr std::size_t kShards = 128;
  static constexpr std::uint32_t kInOne = 4;    // flights of a shard that one chain holds
  static constexpr std::uint32_t kFewest = 16;  // chains where there are more
  static constexpr std::uint32_t kSparse = 8;   // chains for one flight, from where on it shrinks
  static constexpr std::size_t kPadding = 128;  // two cache lines: neighbours are fetched in pairs

  // A shard that has few flights, as most have at most times, is one cache line: threads that take
  // turns at it wait for that line to come over and for no other.
  struct alignas(kPadding) Shard {
    mutable std::mutex mutex;
    EntryPtr first;           // the one chain, while there is one
    std::uint32_t size = 1;   // of chains: 1, or a power of two
    std::uint32_t count = 0;  // of flights
    std::vector<EntryPtr> chains;

    EntryPtr* chain(std::uint64_t hash) { return size == 1 ? &first : &chains[hash & (size - 1)]; }
    template <class K>
    EntryPtr* find(std::uint64_t hash, const K& key) {
      EntryPtr* place = chain(hash);
      while (*place && !((*place)->hash == hash && Equal{}((*place)->key, key)))
        place = &(*place)->next;
      return *place ? place : nullptr;
    }
    void insert(const EntryPtr& entry) {
      if (count >= (size == 1 ? kInOne : size)) resize(size == 1 ? kFewest : size * 2);
      EntryPtr& place = *chain(entry->hash);
      entry->next = std::move(place);
      place = entry;
      ++count;
    }
    EntryPtr take(EntryPtr& place) noexcept {
      EntryPtr taken = std::move(place);
      place = std::move(taken->next);
      --count;
      if (size > 1 && count * kSparse < size) shrink();
      return taken;
    }
    void shrink() noexcept {
      try {
        resize(size == kFewest ? 1 : size / 2);
      } catch (const std::bad_alloc&) {
        return;  // as large as it was, then
      }
    }
    void resize(std::uint32_t to) {
      std::vector<EntryPtr> resized(to == 1 ? 0 : to);
      EntryPtr one;
      const auto move_all = [&](EntryPtr& from) {
        while (from) {
          EntryPtr moved = std::move(from);
          from = std::move(moved->next);
          EntryPtr& place = to == 1 ? one : resized[moved->hash & (to - 1)];
          moved->next = std::move(place);
          place = std::move(moved);
        }
      };
      move_all(first);
      for (EntryPtr& chain : chains) move_all(chain);
      chains.swap(resized);
      first = std::move(one);
      size = to;
    }
  };

  // std::hash of a number is the number: its bits are spread (Knuth's multiplicative hashing), the
  // upper ones over the shards, the lower ones over the chains.
  template <class K>
  static std::uint64_t mixed(const K& key) {
    const std::uint64_t spread = std::uint64_t{Hash{}(key)} * 0x9E37'79B9'7F4A'7C15U;
    return spread ^ (spread >> 32);
  }
  Shard& shard_of(std::uint64_t hash) { return shards_[hash >> 57]; }
  static_assert(kShards == 1U << (64 - 57));

  std::array<Shard, kShards> shards_;
};

// Ends a flight on every path: whoever holds it when it goes away without a word has abandoned the
// flight. It is out of the table before anybody hears of its end, so that nobody joins one that is
// over and the next call after an error starts anew.
template <class Table>
class Pilot {
 public:
  using EntryPtr = typename Table::EntryPtr;

  // `kept` keeps a table alive that may go before the flight ends; null where it cannot.
  Pilot(Table& table, EntryPtr entry, std::shared_ptr<Table> kept = nullptr) noexcept
      : table_(&table), kept_(std::move(kept)), entry_(std::move(entry)) {}
  Pilot(Pilot&& other) noexcept = default;
  Pilot& operator=(Pilot&&) = delete;
  ~Pilot() { abandon(); }

  // Gives the flight that it ended.
  template <class Value>
  EntryPtr land(Value&& value) noexcept {
    EntryPtr entry = leave();
    if (entry) entry->land(std::forward<Value>(value));
    return entry;
  }
  void fail(std::exception_ptr failure) noexcept {
    if (const EntryPtr entry = leave()) entry->fail(std::move(failure));
  }
  void abandon() noexcept {
    if (const EntryPtr entry = leave()) entry->abandon();
  }
  // Somebody else has taken over.
  void release() noexcept { entry_.reset(); }

 private:
  EntryPtr leave() noexcept {
    EntryPtr entry = std::move(entry_);
    if (entry) table_->remove(*entry);
    return entry;
  }

  Table* table_;
  std::shared_ptr<Table> kept_;
  EntryPtr entry_;
};

}  // namespace tanggul::flight
