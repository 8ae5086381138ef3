#include "shield/local_cluster.h"

#include <algorithm>

namespace tanggul::shield {
namespace {

using ports::Acquired;
using Renewal = ports::Leases::Renewal;
using Published = ports::SharedStore::Published;

constexpr std::size_t kMostHolders = 16;
constexpr ByteCount kOfACopy = 256;  // beside its bytes and its id

ByteCount cost(const std::string& id, const ports::SharedCopy& copy) {
  return copy.bytes.size() + id.size() + kOfACopy;
}

// A process that comes after this one hands out later fences.
std::uint64_t first_fence() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(wall_now().time_since_epoch()).count());
}

void wake(const std::vector<async::WaiterPtr>& waiters) {
  for (const auto& waiter : waiters) waiter->wake();
}

}  // namespace

// What one thread has of it.
class LocalCluster::Node final : public ports::Leases, public ports::SharedStore {
 public:
  explicit Node(LocalCluster& cluster) : cluster_(cluster) {}

  Task<Acquired> acquire(ports::LeaseRequest request, ports::Patience&) override {
    co_return cluster_.acquire(request);
  }
  Task<Renewal> renew(std::string id, std::string token, Duration ttl, ports::Patience&) override {
    co_return cluster_.renew(id, token, ttl);
  }
  void release(std::string id, std::string token) override { cluster_.release(id, token); }
  void watch(const std::string& id, const async::WaiterPtr& waiter) override {
    cluster_.watch(id, waiter);
  }
  void unwatch(const std::string& id, const async::WaiterPtr& waiter) override {
    cluster_.unwatch(id, waiter);
  }
  Task<Looked> look(std::string id, ports::Patience&) override { co_return cluster_.look(id); }
  Task<Published> publish(ports::Publication what, ports::Patience&) override {
    co_return cluster_.publish(std::move(what));
  }
  void add_holder(std::string id, std::uint64_t version, std::string address) override {
    cluster_.add_holder(id, version, address);
  }
  void remove_holder(std::string id, std::string address) override {
    cluster_.remove_holder(id, address);
  }

 private:
  LocalCluster& cluster_;
};

LocalCluster::LocalCluster(ByteCount most) : most_(most), last_fence_(first_fence()) {}

std::unique_ptr<ports::Leases> LocalCluster::leases() { return std::make_unique<Node>(*this); }
std::unique_ptr<ports::SharedStore> LocalCluster::store() { return std::make_unique<Node>(*this); }

void LocalCluster::forget_watchers() {
  std::unordered_map<std::string, std::vector<async::WaiterPtr>> gone;
  const Lock lock(mutex_);
  gone.swap(watchers_);
}

void LocalCluster::simulate_outage(bool out) {
  const Lock lock(mutex_);
  out_ = out;
}

std::size_t LocalCluster::ids() const {
  const Lock lock(mutex_);
  return records_.size();
}

ByteCount LocalCluster::copy_bytes() const {
  const Lock lock(mutex_);
  return copy_bytes_;
}

Acquired LocalCluster::acquire(const ports::LeaseRequest& request) {
  const MonoTime now = MonoClock::now();
  const Lock lock(mutex_);
  Acquired out;
  if (out_) return out;
  drop_dead(now);
  Record& record = records_[request.id];
  if (record.entry && record.entry->copy.version > request.known_entry)
    out.copies.entry = record.entry->copy;
  if (record.failure && record.failure->copy.version > request.known_failure)
    out.copies.failure = record.failure->copy;
  if (out.copies.entry || out.copies.failure) {
    out.kind = Acquired::Kind::copied;
    out.copies.holders = record.holders;
    return out;
  }
  if (record.lease) {
    out.kind = Acquired::Kind::busy;
    out.fence = record.lease->fence;
    out.holder = record.lease->holder;
    out.left = record.lease->death->first - now;
    return out;
  }
  out.kind = Acquired::Kind::held;
  out.fence = ++last_fence_;
  const auto death = deaths_.emplace(now + request.ttl, Dying{request.id, Slot::lease});
  record.lease = Lease{request.token, request.holder, out.fence, death};
  return out;
}

Renewal LocalCluster::renew(const std::string& id, const std::string& token, Duration ttl) {
  const MonoTime now = MonoClock::now();
  const Lock lock(mutex_);
  if (out_) return Renewal::unavailable;
  drop_dead(now);
  Record* const record = held_by(id, token);
  if (record == nullptr) return Renewal::lost;
  deaths_.erase(record->lease->death);
  record->lease->death = deaths_.emplace(now + ttl, Dying{id, Slot::lease});
  return Renewal::held;
}

void LocalCluster::release(const std::string& id, const std::string& token) {
  std::vector<async::WaiterPtr> woken;
  {
    const MonoTime now = MonoClock::now();
    const Lock lock(mutex_);
    if (out_) return;
    drop_dead(now);
    if (held_by(id, token) == nullptr) return;
    drop(id, Slot::lease);
    woken = watchers_of(id);
  }
  wake(woken);
}

void LocalCluster::watch(const std::string& id, const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  watchers_[id].push_back(waiter);
}

void LocalCluster::unwatch(const std::string& id, const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  const auto at = watchers_.find(id);
  if (at == watchers_.end()) return;
  std::erase(at->second, waiter);
  if (at->second.empty()) watchers_.erase(at);
}

ports::SharedStore::Looked LocalCluster::look(const std::string& id) {
  const MonoTime now = MonoClock::now();
  const Lock lock(mutex_);
  ports::SharedStore::Looked out;
  if (out_) return out;
  out.available = true;
  drop_dead(now);
  const auto at = records_.find(id);
  if (at == records_.end()) return out;
  const Record& record = at->second;
  if (record.entry) out.copies.entry = record.entry->copy;
  if (record.failure) out.copies.failure = record.failure->copy;
  out.copies.holders = record.holders;
  return out;
}

Published LocalCluster::publish(ports::Publication what) {
  std::vector<async::WaiterPtr> woken;
  {
    const MonoTime now = MonoClock::now();
    const Lock lock(mutex_);
    if (out_) return Published::unavailable;
    drop_dead(now);
    Record* const record = held_by(what.id, what.token);
    if (record == nullptr) return Published::fenced;
    const std::uint64_t fence = record->lease->fence;
    const Slot slot = what.failure ? Slot::failure : Slot::entry;
    drop(what.id, slot);
    if (!what.failure) {
      drop(what.id, Slot::failure);
      record->holders.clear();
      if (!what.holder.empty()) record->holders.push_back(std::move(what.holder));
    }
    ports::SharedCopy copy{std::move(what.bytes), fence};
    copy_bytes_ += cost(what.id, copy);
    const auto death = deaths_.emplace(now + what.lives, Dying{what.id, slot});
    (what.failure ? record->failure : record->entry) = Copy{std::move(copy), death};
    drop(what.id, Slot::lease);  // last: the record is never empty meanwhile
    make_room();
    woken = watchers_of(what.id);
  }
  wake(woken);
  return Published::yes;
}

void LocalCluster::add_holder(const std::string& id, std::uint64_t version,
                              const std::string& address) {
  const Lock lock(mutex_);
  const auto at = records_.find(id);
  if (out_ || at == records_.end()) return;
  Record& record = at->second;
  if (!record.entry || record.entry->copy.version != version) return;
  if (std::find(record.holders.begin(), record.holders.end(), address) != record.holders.end())
    return;
  if (record.holders.size() == kMostHolders) record.holders.erase(record.holders.begin());
  record.holders.push_back(address);
}

void LocalCluster::remove_holder(const std::string& id, const std::string& address) {
  const Lock lock(mutex_);
  const auto at = records_.find(id);
  if (!out_ && at != records_.end()) std::erase(at->second.holders, address);
}

LocalCluster::Record* LocalCluster::held_by(const std::string& id, const std::string& token) {
  const auto at = records_.find(id);
  const bool held = at != records_.end() && at->second.lease && at->second.lease->token == token;
  return held ? &at->second : nullptr;
}

std::vector<async::WaiterPtr> LocalCluster::watchers_of(const std::string& id) const {
  const auto at = watchers_.find(id);
  return at == watchers_.end() ? std::vector<async::WaiterPtr>() : at->second;
}

// `id` must not be that of the death itself, which goes.
void LocalCluster::drop(const std::string& id, Slot slot) {
  const auto at = records_.find(id);
  if (at == records_.end()) return;
  Record& record = at->second;
  if (slot == Slot::lease) {
    if (record.lease) deaths_.erase(record.lease->death);
    record.lease.reset();
  } else if (auto& copy = slot == Slot::entry ? record.entry : record.failure) {
    copy_bytes_ -= cost(at->first, copy->copy);
    deaths_.erase(copy->death);
    copy.reset();
    if (slot == Slot::entry) record.holders.clear();
  }
  if (!record.lease && !record.entry && !record.failure) records_.erase(at);
}

void LocalCluster::drop_dead(MonoTime now) {
  while (!deaths_.empty() && deaths_.begin()->first <= now) {
    const Dying dead = deaths_.begin()->second;
    drop(dead.id, dead.slot);
  }
}

void LocalCluster::make_room() {
  for (auto at = deaths_.begin(); copy_bytes_ > most_ && at != deaths_.end();) {
    const Dying dying = (at++)->second;
    if (dying.slot != Slot::lease) drop(dying.id, dying.slot);
  }
}

}  // namespace tanggul::shield
