#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/offload.h"
#include "async/spawn.h"
#include "base/metrics.h"
#include "cache/disk/disk_tier.h"
#include "cache/flight_table.h"
#include "cache/memory_tier.h"
#include "cache/purges.h"
#include "shield/config.h"
#include "shield/once_builds.h"
#include "shield/routes.h"

namespace tanggul::shield {

// What the threads of one process share: origins, flights, the cache. Thread-safe; outlives every
// Pipeline that uses it.
class Shield {
 public:
  Shield(ShieldConfig config, MetricSet& metrics);

  // What no reload changes.
  const std::string& spool_directory() const noexcept { return spool_directory_; }

  // Origins, addresses and sizes of the cache as `config` has them, from now on for whoever takes
  // up routes() anew. What is cached, runs, waits or is known of an origin stays.
  void configure(ShieldConfig config);
  // The process is about to end: who is held is told so, and gates are closed.
  void drain();
  // Ends what runs on pools. Before the loops go whose coroutines wait for it; a disk that hangs
  // holds it up.
  void finish();
  bool draining() const noexcept { return draining_.load(); }
  RoutesPtr routes() const;
  // Called about once a second: what counts of the last minutes are made from.
  void sample(MonoTime now);

  // What is at hand: in memory, or in a file that is open. Never waits.
  cache::EntryPtr find(std::string_view key);
  // The same, and what lies on disk alone, which is at hand afterwards if there is room for it.
  // Waits for the disk only if it may be there, and no longer than `until` or for a few seconds:
  // then it is a miss.
  Task<cache::EntryPtr> recall(std::string_view key, async::WaiterPtr waiter, MonoTime until);
  // False: nothing keeps it.
  bool store(std::string_view key, cache::EntryPtr entry);
  void erase(std::string_view key);
  void forget_failure(const std::string& flight_key);
  // A body does not fit: `error` is errno. What the cache holds gives way; whether anything did.
  bool make_room(int error, ByteCount size);
  // What has kept bodies from being kept lately, of those on their way or in the cache; empty:
  // nothing.
  void note_trouble(std::string what, MonoTime now);
  std::string trouble(MonoTime now) const;
  // Of what is at hand alone; how many went.
  std::size_t erase_at_hand_if(const std::function<bool(std::string_view key)>& which);
  // After a successful write: documents and remembered failures under these prefixes go, and what
  // flights under them bring is delivered but not stored. Other bodies do not change by a write.
  void outdate(const std::vector<std::string>& prefixes);
  // The same for one resource, the key of which this is: its variants and its failure go with it.
  void outdate_target(const std::string& key);
  void take_written(const std::string& key);  // by another node: not told again

  // Every purge and every write goes by here: the purges hold at once, and whoever listens hears of
  // it. False: it could not be written down.
  bool note_purge(cache::Purges::Rule rule, std::string_view what);
  using PurgeListener = std::function<void(cache::Purges::Rule rule, std::string_view what)>;
  using WriteListener = std::function<void(const std::string& key)>;
  void on_purge(PurgeListener purged, WriteListener written);
  // What the limits of all origins are now that are the cluster's: see LimitQueue.
  void share_limits(LimitShare share, std::size_t nodes);

  cache::FlightTable& flights() noexcept { return flights_; }
  const cache::FlightTable& flights() const noexcept { return flights_; }
  cache::MemoryTier& memory() noexcept { return memory_; }
  const cache::MemoryTier& memory() const noexcept { return memory_; }
  cache::Purges& purges() noexcept { return purges_; }
  cache::DiskTier* disk() noexcept { return disk_.get(); }  // null: none
  const cache::DiskTier* disk() const noexcept { return disk_.get(); }
  const async::TaskGroup& tasks() const noexcept { return tasks_; }
  async::Offload& offload() noexcept { return offload_; }
  async::TaskGroup& tasks() noexcept { return tasks_; }
  OnceBuilds& once_builds() noexcept { return once_builds_; }
  const OnceBuilds& once_builds() const noexcept { return once_builds_; }

  // Another node's purge: not told again.
  bool take_purge(cache::Purges::Rule rule, std::string_view what) {
    return purges_.add(rule, what);
  }

 private:
  cache::EntryPtr at_hand(std::string_view key);
  bool keep_at_hand(std::string_view key, const cache::EntryPtr& entry, bool replace);
  cache::EntryPtr recall_now(const std::string& key);
  std::atomic<std::uint64_t>& changes(std::string_view key);
  void let_go_of_retired();
  void touch(std::string_view key, const cache::Entry& entry);
  void stored_on_disk(const std::string& key, const cache::EntryPtr& entry,
                      cache::DiskTier::Stored how);
  std::vector<PatternState*> patterns_of(const OriginConfig& origin) REQUIRES(mutex_);

  MetricSet& metrics_;
  const std::string spool_directory_;
  std::atomic<bool> draining_{false};
  mutable Mutex mutex_;
  RoutesPtr routes_ GUARDED_BY(mutex_);
  PurgeListener purge_listener_ GUARDED_BY(mutex_);
  WriteListener write_listener_ GUARDED_BY(mutex_);
  LimitShare limit_share_ GUARDED_BY(mutex_) = LimitShare::own;
  std::size_t limit_nodes_ GUARDED_BY(mutex_) = 1;
  std::string trouble_ GUARDED_BY(mutex_);
  MonoTime trouble_until_ GUARDED_BY(mutex_){};
  // One for each name that there ever was: the counters of the removed ones live on as well.
  std::map<std::string, std::unique_ptr<OriginState>> states_ GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<PatternState>> patterns_ GUARDED_BY(mutex_);
  std::vector<Gauge*> pattern_infos_ GUARDED_BY(mutex_);  // of the origins that there are now
  cache::FlightTable flights_;
  cache::Purges purges_;
  cache::MemoryTier memory_;
  cache::MemoryTier files_;  // entries with a body in a file, which is open
  // How often what is at hand was replaced or erased, by the keys' hashes; and looked through.
  std::array<std::atomic<std::uint64_t>, 1024> changes_{};
  std::atomic<std::uint64_t> sweeps_{0};
  std::atomic<std::uint64_t> seconds_{60};  // counted by sample()
  std::unique_ptr<cache::DiskTier> disk_;
  OnceBuilds once_builds_;
  async::TaskGroup tasks_;
  async::Offload offload_{1};
  async::Offload disk_reads_{2};
};

// Where else things stand under a key: its remembered failure, and its variants.
std::string failure_key(std::string_view key);
std::string variant_key(std::string_view key, std::string_view vary_values);

}  // namespace tanggul::shield
