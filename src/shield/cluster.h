#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/rarely.h"
#include "cache/purges.h"
#include "ports/membership.h"
#include "shield/peer_auth.h"
#include "shield/shield.h"
#include "shield/untold_purges.h"

namespace tanggul::shield {

struct ClusterConfig {
  std::string node;       // its name
  std::string advertise;  // scheme://host:port under which the others reach it
  std::string secret;
  std::string ca;  // whom the others' certificates are from, a PEM file; empty: the system's
  std::string place_file;  // where it is kept how far the purges have been followed; empty: nowhere
  std::string untold_file;  // and which of this node's own are not told yet
};

// How asking another node went; `skewed` is told by the one that was asked.
enum class PeerResult { served, nothing, broken, unreachable, skewed };

// This node in its cluster, as far as all its threads share it: who it is, whether the others can
// be reached, and the purges of all. Thread-safe; outlives the lanes.
class Cluster final : public ports::MembershipListener {
 public:
  Cluster(Shield& shield, ClusterConfig config, MetricSet& metrics);
  ~Cluster() override;

  const ClusterConfig& config() const noexcept { return config_; }
  const PeerAuth& auth() const noexcept { return auth_; }
  bool reachable() const noexcept { return reachable_.load(); }
  std::size_t nodes() const noexcept { return nodes_.load(); }
  std::string why_unreachable() const;

  // Where the purges stand. What is asked of an origin from now on is of this place.
  ports::PurgePlace place() const;
  // Whether a purge after `asked_at` covers a copy. What nobody can tell any more it does.
  bool outdated(std::string_view key, const cache::Entry& entry,
                const ports::PurgePlace& asked_at) const;
  bool outdated_failure(const ports::PurgePlace& asked_at) const;

  // What this node has purged, for the others, and before it the origin whose pauses that ends.
  // Both are called on any thread.
  struct Announcer {
    std::function<void(std::vector<ports::SharedPurge>)> purges;
    std::function<void(const std::string& origin)> pauses_ended;
  };
  void announce_by(Announcer announcer);

  // The loops have stopped: nothing can be sent any more.
  void end() noexcept { ended_.store(true); }
  bool ended() const noexcept { return ended_.load(); }

  Counter& leases_lost() noexcept { return leases_lost_; }
  void note_peer(const std::string& address, PeerResult result, const std::string& why);
  void note_skew(Duration age);  // of a request by a node with the secret and another time
  Histogram& lease_waits() noexcept { return lease_waits_; }

  void on_reach(bool reachable, const std::string& why) override;
  void on_nodes(std::size_t alive) override;
  void on_purges(const ports::PurgePlace& place, const std::vector<ports::SharedPurge>& purges,
                 bool complete) override;
  ports::PurgePlace purges_seen() const override;
  void on_breaker(const std::string& origin, const ports::BreakerView& view) override;
  void on_pause(const std::string& origin, const std::string& credential, Duration pause) override;

 private:
  static constexpr std::size_t kMostWritten = 50'000;
  const std::string self_;  // this process: a name may be given twice

  void announce(std::uint8_t rule, std::string_view what);
  void tell(std::uint8_t rule, std::string_view what);
  void note_written(std::string_view key, std::uint64_t sequence) REQUIRES(mutex_);
  void take(const ports::SharedPurge& purge);
  void outdate_everything();
  void begin_rules(const ports::PurgePlace& place) REQUIRES(mutex_);
  void share_limits();
  void keep_place(const ports::PurgePlace& place) const;

  Shield& shield_;
  const ClusterConfig config_;
  const PeerAuth auth_;
  UntoldPurges untold_;
  Counter& leases_lost_;
  std::array<Counter*, 5> peer_requests_;
  Rarely unreachable_told_{1min}, skew_told_{1min};
  Histogram& lease_waits_;
  std::atomic<bool> reachable_{false}, ended_{false};
  std::atomic<std::size_t> nodes_{1};

  mutable Mutex mutex_;
  std::string why_ GUARDED_BY(mutex_) = "not connected yet";
  ports::PurgePlace place_ GUARDED_BY(mutex_);
  // The purges since `rules_from_`, as generations of their own, for copies that come from
  // elsewhere.
  std::unique_ptr<cache::Purges> rules_ GUARDED_BY(mutex_);
  std::uint64_t rules_from_ GUARDED_BY(mutex_) = 0;
  // When each key was written to last, of the kMostWritten last that were.
  std::unordered_map<std::string, std::uint64_t> written_ GUARDED_BY(mutex_);
  std::deque<std::pair<std::uint64_t, std::string>> writes_ GUARDED_BY(mutex_);
  std::uint64_t written_from_ GUARDED_BY(mutex_) = 0;  // of what was before nothing is known
  Announcer announcer_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::shield
