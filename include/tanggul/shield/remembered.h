#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/xfetch.h"
#include "tanggul/shield/read_through_config.h"
#include "tanggul/shield/reading.h"

// The parts that ReadThrough is made of. Users need read_through.h alone.
namespace tanggul::read_through {

// What one load brought. Immutable once it is shared.
template <class Value>
struct Entry {
  std::shared_ptr<const Value> value;  // null: the key has none
  MonoTime expires;
  Duration cost{};  // what its load took
  std::uint64_t weight = 0;
};
template <class Value>
using EntryPtr = std::shared_ptr<const Entry<Value>>;

// A load that failed, kept for a while beside the value that it could not replace.
struct Failure {
  ReadError error = ReadError::none;
  std::exception_ptr thrown;
  MonoTime until;
};

enum class Found : std::uint8_t { fresh, fresh_refresh, stale_refresh, failed, missing };

template <class Value>
struct Look {
  Found found = Found::missing;
  EntryPtr<Value> entry;  // also where it is too old to be served unasked
  Failure failure;
};

// The values, absences and failures that are remembered, least recently used first out.
// Thread-safe; one lock, held for a look-up's time.
template <class Key, class Value, class Hash, class Equal>
class Remembered {
 public:
  Remembered(const ReadThroughConfig& config, const Rng& rng) : config_(config), rng_(rng) {}

  Look<Value> look(const Key& key, MonoTime now) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return {};
    const auto node = found->second;
    order_.splice(order_.begin(), order_, node);
    return {judge(*node, now), node->entry, node->failure};
  }

  // The number of removals so far: what a load that began then may still store.
  std::uint64_t epoch() const {
    const std::lock_guard lock(mutex_);
    return removals_;
  }
  void keep(const Key& key, EntryPtr<Value> entry, std::uint64_t epoch) {
    const std::lock_guard lock(mutex_);
    if (removed_since(key, epoch)) return;
    if (config_.max_weight > 0 && entry->weight > config_.max_weight) return;
    Node& node = make(key);
    weight_ += entry->weight - (node.entry ? node.entry->weight : 0);
    node.entry = std::move(entry);
    node.failure = {};
    shrink();
  }
  void keep_failure(const Key& key, Failure failure, std::uint64_t epoch) {
    const std::lock_guard lock(mutex_);
    if (removed_since(key, epoch)) return;
    make(key).failure = std::move(failure);
    shrink();
  }
  // And whatever a load that runs now would bring.
  void remove(const Key& key) {
    const std::lock_guard lock(mutex_);
    removed_[removals_++ % kRemembered] = Hash{}(key);
    const auto found = index_.find(key);
    if (found != index_.end()) drop(found->second);
  }

  struct Size {
    std::size_t entries;
    std::uint64_t weight, evictions;
  };
  Size size() const {
    const std::lock_guard lock(mutex_);
    return {order_.size(), weight_, evictions_};
  }

 private:
  // Removals that are told apart; a load during which there were more stores nothing.
  static constexpr std::size_t kRemembered = 1024;

  struct Node {
    Key key;
    EntryPtr<Value> entry;  // null: there is a failure alone
    Failure failure;
  };
  using Place = typename std::list<Node>::iterator;

  Found judge(const Node& node, MonoTime now) {
    const bool has_value = node.entry && node.entry->value;
    if (node.entry && now < node.entry->expires) {
      // XFetch knows moments, not clocks: those of the steady one do as well.
      const auto moment = [](MonoTime t) { return WallTime(t.time_since_epoch()); };
      return has_value && policy::refresh_early(moment(now), moment(node.entry->expires),
                                                node.entry->cost, config_.beta, rng_)
                 ? Found::fresh_refresh
                 : Found::fresh;
    }
    if (now < node.failure.until) return Found::failed;
    if (has_value && now < node.entry->expires + config_.stale_while_revalidate)
      return Found::stale_refresh;
    return Found::missing;
  }
  Node& make(const Key& key) {
    const auto found = index_.find(key);
    if (found != index_.end()) return *found->second;
    order_.push_front(Node{key, nullptr, {}});
    try {
      index_.emplace(key, order_.begin());
    } catch (...) {
      order_.pop_front();
      throw;
    }
    return order_.front();
  }
  void shrink() {
    while (order_.size() > config_.max_entries ||
           (config_.max_weight > 0 && weight_ > config_.max_weight)) {
      drop(std::prev(order_.end()));
      ++evictions_;
    }
  }
  void drop(Place place) {
    if (place->entry) weight_ -= place->entry->weight;
    index_.erase(place->key);
    order_.erase(place);
  }
  bool removed_since(const Key& key, std::uint64_t epoch) const {
    if (removals_ - epoch > kRemembered) return true;
    for (std::uint64_t i = epoch; i < removals_; ++i) {
      if (removed_[i % kRemembered] == Hash{}(key)) return true;
    }
    return false;
  }

  const ReadThroughConfig config_;
  mutable std::mutex mutex_;  // guards all below
  Rng rng_;
  std::list<Node> order_;  // the most recently used first
  std::unordered_map<Key, Place, Hash, Equal> index_;
  std::uint64_t weight_ = 0, evictions_ = 0;
  std::uint64_t removals_ = 0;
  std::array<std::size_t, kRemembered> removed_{};  // hashes, by the removal's number
};

}  // namespace tanggul::read_through
