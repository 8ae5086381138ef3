#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "ports/leases.h"
#include "ports/shared_store.h"

namespace tanggul::shield {

// The leases and shared copies of a cluster whose nodes all live in this process: of the only node
// there is, or of several in a test. Thread-safe; outlives what it hands out.
//
// It never waits and knows no patience. What has run out is swept as others come and go, and copies
// beyond `most` bytes go, those first that would die first. Leases are bounded by their lives.
class LocalCluster {
 public:
  static constexpr ByteCount kMost = 16_MiB;

  explicit LocalCluster(ByteCount most = kMost);

  // One for each thread, or each node.
  std::unique_ptr<ports::Leases> leases();
  std::unique_ptr<ports::SharedStore> store();

  // Nobody is woken any more: before the loops go that wait.
  void forget_watchers();

  // Until it ends nothing gets through: every call that answers says `unavailable`, the others are
  // lost, nobody is woken, and leases run out in their time.
  void simulate_outage(bool out);

  std::size_t ids() const;       // that anything is kept of
  ByteCount copy_bytes() const;  // of all copies, with what keeping them costs

 private:
  class Node;
  enum class Slot { lease, entry, failure };
  struct Dying {
    std::string id;
    Slot slot;
  };
  using Deaths = std::multimap<MonoTime, Dying>;
  struct Lease {
    std::string token, holder;
    std::uint64_t fence;
    Deaths::iterator death;
  };
  struct Copy {
    ports::SharedCopy copy;
    Deaths::iterator death;
  };
  struct Record {
    std::optional<Lease> lease;
    std::optional<Copy> entry, failure;
    std::vector<std::string> holders;
  };

  ports::Acquired acquire(const ports::LeaseRequest& request);
  ports::Leases::Renewal renew(const std::string& id, const std::string& token, Duration ttl);
  void release(const std::string& id, const std::string& token);
  void watch(const std::string& id, const async::WaiterPtr& waiter);
  void unwatch(const std::string& id, const async::WaiterPtr& waiter);
  ports::SharedStore::Looked look(const std::string& id);
  ports::SharedStore::Published publish(ports::Publication what);
  void add_holder(const std::string& id, std::uint64_t version, const std::string& address);
  void remove_holder(const std::string& id, const std::string& address);

  // The record of an id whose lease this token holds; else null.
  Record* held_by(const std::string& id, const std::string& token) REQUIRES(mutex_);
  std::vector<async::WaiterPtr> watchers_of(const std::string& id) const REQUIRES(mutex_);
  void drop(const std::string& id, Slot slot) REQUIRES(mutex_);
  void drop_dead(MonoTime now) REQUIRES(mutex_);
  void make_room() REQUIRES(mutex_);

  const ByteCount most_;
  mutable Mutex mutex_;
  bool out_ GUARDED_BY(mutex_) = false;
  std::uint64_t last_fence_ GUARDED_BY(mutex_);
  ByteCount copy_bytes_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, Record> records_ GUARDED_BY(mutex_);  // none is empty
  Deaths deaths_ GUARDED_BY(mutex_);  // of each lease and copy in records_, and of nothing else
  std::unordered_map<std::string, std::vector<async::WaiterPtr>> watchers_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::shield
