#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "cache/disk/layout.h"

namespace tanggul::cache {

// What lies on disk, how large it is, and what is to go first: S3-FIFO (Yang et al., SOSP 2023), as
// in memory_tier.h. What is new is on trial in a tenth of the room and goes first unless somebody
// asks for it again, so a one-time crawl passes through without touching what is used. About 40
// bytes an object, since there may be millions. Not thread-safe.
class Index {
 public:
  struct Found {  // by the scan at start
    ObjectId id;
    ObjectKind kind;
    ByteCount size;
    std::int64_t last_used;  // nanoseconds since 1970
    bool used_again;         // after it was stored
  };
  struct Object {
    ObjectId id;
    ObjectKind kind;
  };

  bool has(ObjectKind kind, ObjectId id) const { return find(kind, id).has_value(); }
  // New, or of another size.
  void put(ObjectKind kind, ObjectId id, ByteCount size);
  // An entry's body goes on being used with it.
  void tie(ObjectId entry, ObjectId body);
  bool touch(ObjectKind kind, ObjectId id);               // false: it is not here
  std::optional<ObjectId> body_of(ObjectId entry) const;  // that it is tied to
  bool erase(ObjectKind kind, ObjectId id);
  void clear();
  // What the scan has found, each older than the one before it and than whatever is here already.
  void add_older(std::span<const Found> found);

  // What a bound of `capacity` wants to go next, already taken out; nullopt: nothing is here.
  std::optional<Object> evict(ByteCount capacity);

  ByteCount bytes() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return table_.size(); }
  // What a file of this size takes up: whole blocks.
  static ByteCount weight(ByteCount size) noexcept { return (size + kBlock - 1) / kBlock * kBlock; }

 private:
  static constexpr ByteCount kBlock = 4096;
  static constexpr std::uint32_t kNone = 0xffffffff;
  using Slot = std::uint32_t;

  struct Node {
    ObjectId id;
    std::uint32_t blocks = 0;
    Slot older = kNone, newer = kNone;
    ObjectKind kind = ObjectKind::entry;
    std::uint8_t uses = 0;  // at most 3, as in the paper
    bool in_main = false;
  };
  struct Queue {
    Slot oldest = kNone, newest = kNone;
    ByteCount bytes = 0;
  };
  struct Probe {
    ObjectKind kind;
    ObjectId id;
  };
  struct Hash {
    using is_transparent = void;
    const std::deque<Node>* nodes;
    std::size_t operator()(const Probe& p) const noexcept { return p.id.low; }
    std::size_t operator()(Slot s) const noexcept { return (*nodes)[s].id.low; }
  };
  struct Same {
    using is_transparent = void;
    const std::deque<Node>* nodes;
    bool operator()(Slot a, Slot b) const noexcept { return a == b; }
    bool operator()(const Probe& p, Slot s) const noexcept {
      return (*nodes)[s].id == p.id && (*nodes)[s].kind == p.kind;
    }
    bool operator()(Slot s, const Probe& p) const noexcept { return (*this)(p, s); }
  };

  std::optional<Slot> find(ObjectKind kind, ObjectId id) const;
  Slot make(ObjectKind kind, ObjectId id, ByteCount size, bool in_main);
  Queue& queue_of(const Node& node) noexcept { return node.in_main ? main_ : small_; }
  void append(Slot slot) { insert(slot, queue_of(nodes_[slot]).newest, kNone); }
  void prepend(Slot slot) { insert(slot, kNone, queue_of(nodes_[slot]).oldest); }
  void insert(Slot slot, Slot older, Slot newer);
  void unlink(Slot slot);
  Object remove(Slot slot);
  void remember_gone(ObjectId id);

  std::deque<Node> nodes_;
  std::vector<Slot> free_;
  boost::unordered_flat_set<Slot, Hash, Same> table_{0, Hash{&nodes_}, Same{&nodes_}};
  std::unordered_map<Slot, ObjectId> tied_;  // an entry's body
  Queue small_, main_;
  ByteCount bytes_ = 0;
  // Lately gone from trial: when they come again they are not on trial any more.
  std::deque<std::uint64_t> gone_order_;
  boost::unordered_flat_set<std::uint64_t> gone_;
};

}  // namespace tanggul::cache
