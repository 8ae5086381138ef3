#include "cache/disk/index.h"

#include <algorithm>

namespace tanggul::cache {
namespace {

constexpr std::uint8_t kMostUses = 3;
constexpr std::size_t kMostGone = 200'000;

}  // namespace

std::optional<Index::Slot> Index::find(ObjectKind kind, ObjectId id) const {
  const auto found = table_.find(Probe{kind, id});
  return found == table_.end() ? std::nullopt : std::optional(*found);
}

Index::Slot Index::make(ObjectKind kind, ObjectId id, ByteCount size, bool in_main) {
  Slot slot = static_cast<Slot>(nodes_.size());
  if (free_.empty()) {
    nodes_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Node& node = nodes_[slot];
  node = Node{};
  node.id = id;
  node.kind = kind;
  node.blocks = static_cast<std::uint32_t>(weight(size) / kBlock);
  node.in_main = in_main;
  table_.insert(slot);
  bytes_ += node.blocks * kBlock;
  return slot;
}

void Index::insert(Slot slot, Slot older, Slot newer) {
  Node& node = nodes_[slot];
  Queue& queue = queue_of(node);
  node.older = older;
  node.newer = newer;
  (older == kNone ? queue.oldest : nodes_[older].newer) = slot;
  (newer == kNone ? queue.newest : nodes_[newer].older) = slot;
  queue.bytes += node.blocks * kBlock;
}

void Index::unlink(Slot slot) {
  const Node& node = nodes_[slot];
  Queue& queue = queue_of(node);
  (node.older == kNone ? queue.oldest : nodes_[node.older].newer) = node.newer;
  (node.newer == kNone ? queue.newest : nodes_[node.newer].older) = node.older;
  queue.bytes -= node.blocks * kBlock;
}

void Index::put(ObjectKind kind, ObjectId id, ByteCount size) {
  if (const auto slot = find(kind, id)) {
    Node& node = nodes_[*slot];
    const auto blocks = static_cast<std::uint32_t>(weight(size) / kBlock);
    const ByteCount before = node.blocks * kBlock, now = blocks * kBlock;
    bytes_ += now - before;
    queue_of(node).bytes += now - before;
    node.blocks = blocks;
    return;
  }
  append(make(kind, id, size, gone_.contains(id.low)));
}

void Index::tie(ObjectId entry, ObjectId body) {
  if (const auto slot = find(ObjectKind::entry, entry)) tied_[*slot] = body;
}

bool Index::touch(ObjectKind kind, ObjectId id) {
  const auto slot = find(kind, id);
  if (!slot) return false;
  Node& node = nodes_[*slot];
  if (node.uses < kMostUses) ++node.uses;
  if (kind == ObjectKind::body) return true;
  if (const auto body = tied_.find(*slot); body != tied_.end())
    touch(ObjectKind::body, body->second);
  return true;
}

Index::Object Index::remove(Slot slot) {
  unlink(slot);
  const Node& node = nodes_[slot];
  const Object object{node.id, node.kind};
  table_.erase(table_.find(Probe{node.kind, node.id}));
  tied_.erase(slot);
  bytes_ -= node.blocks * kBlock;
  free_.push_back(slot);
  return object;
}

bool Index::erase(ObjectKind kind, ObjectId id) {
  const auto slot = find(kind, id);
  if (slot) remove(*slot);
  return slot.has_value();
}

std::optional<ObjectId> Index::body_of(ObjectId entry) const {
  const auto slot = find(ObjectKind::entry, entry);
  const auto body = slot ? tied_.find(*slot) : tied_.end();
  return body == tied_.end() ? std::nullopt : std::optional(body->second);
}

void Index::clear() {
  table_.clear();
  tied_.clear();
  nodes_.clear();
  free_.clear();
  small_ = main_ = {};
  bytes_ = 0;
}

void Index::add_older(std::span<const Found> found) {
  for (const Found& f : found)
    if (!has(f.kind, f.id)) prepend(make(f.kind, f.id, f.size, f.used_again));
}

std::optional<Index::Object> Index::evict(ByteCount capacity) {
  const ByteCount trial = capacity / 10;
  for (;;) {
    if (small_.oldest != kNone && (small_.bytes > trial || main_.oldest == kNone)) {
      const Slot oldest = small_.oldest;
      Node& node = nodes_[oldest];
      if (node.uses > 0) {  // asked for again while on trial
        unlink(oldest);
        node.uses = 0;
        node.in_main = true;
        append(oldest);
        continue;
      }
      remember_gone(node.id);
      return remove(oldest);
    }
    if (main_.oldest == kNone) return std::nullopt;
    const Slot oldest = main_.oldest;
    Node& node = nodes_[oldest];
    if (node.uses == 0) return remove(oldest);
    unlink(oldest);
    --node.uses;
    append(oldest);
  }
}

void Index::remember_gone(ObjectId id) {
  if (!gone_.insert(id.low).second) return;
  gone_order_.push_back(id.low);
  while (gone_order_.size() > std::min(kMostGone, table_.size() + 64)) {
    gone_.erase(gone_order_.front());
    gone_order_.pop_front();
  }
}

}  // namespace tanggul::cache
