#pragma once

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "ports/shared_limits.h"
#include "shield/config.h"
#include "shield/hold_queue.h"
#include "shield/large_objects.h"
#include "shield/limit_queue.h"
#include "shield/waiting_room.h"
#include "tanggul/policy/breaker.h"
#include "tanggul/policy/recent_growth.h"
#include "tanggul/policy/retry_budget.h"

namespace tanggul::shield {

// The results of tanggul_requests_total.
enum class Outcome { hit, stale, negative, miss, coalesced, pass, error, aborted };
inline constexpr std::array<std::string_view, 8> kOutcomeNames = {
    "hit", "stale", "negative", "miss", "coalesced", "pass", "error", "aborted"};
constexpr std::string_view name(Outcome o) { return kOutcomeNames[static_cast<std::size_t>(o)]; }

struct OriginMetrics {
  std::string origin;
  std::array<Counter*, kOutcomeNames.size()> requests;
  Histogram* request_duration;
  Histogram* origin_duration;
  std::map<std::string, Counter*, std::less<>> origin_requests;  // by code, filled at start
  std::map<std::string, Counter*, std::less<>> retries;          // by outcome
  Gauge* flights;
  std::array<Counter*, 3> transitions;  // to closed, half_open, open
};

// What this process knows of one origin, whatever its configuration becomes: shared by all threads
// that call it, kept through a reload. Lives as long as the process. Thread-safe.
class OriginState {
 public:
  OriginState(const OriginConfig& config, MetricSet& metrics);
  OriginState(const OriginState&) = delete;
  OriginState& operator=(const OriginState&) = delete;

  // Other numbers from now on. What waits, runs or is known of the origin stays.
  void configure(const OriginConfig& config);
  // The configuration names it no longer: its gauges are absent from now on, its gates end.
  void retire();
  void drain();

  const OriginMetrics& metrics() const noexcept { return metrics_; }
  LimitQueue& limit() noexcept { return limit_; }
  HoldQueue& hold() noexcept { return hold_; }
  WaitingRoom& waiting() noexcept { return waiting_; }
  LargeObjects& large() noexcept { return large_; }

  // --- breaker ---
  bool would_admit(MonoTime now) const;
  // A newcomer has to be held or refused: the breaker denies, or others have been held before it.
  bool must_wait(MonoTime now) const { return !hold_.empty() || !would_admit(now); }
  policy::Breaker::Admission admit(MonoTime now, Rng& rng);
  void record(const policy::Breaker::Ticket& ticket, policy::BreakerSample sample, MonoTime now,
              Rng& rng);
  // What the cluster's breaker is: this one follows it. `asked`: it is the answer to a question,
  // and not an announcement, which may be older than what is known.
  void adopt(const ports::BreakerView& view, MonoTime now, bool asked);
  // An attempt that the cluster counts has ended: how it was is known, but not counted here as
  // well.
  void note_outcome(bool well, MonoTime now);
  // Only where the limits are the cluster's at all.
  void share_limits(LimitShare share, std::size_t nodes);
  policy::BreakerState breaker_state(MonoTime now) const;
  MonoTime breaker_since() const;
  MonoTime next_probe(MonoTime now) const;
  // What the last attempt that told anything of the origin's health has told: nullopt when there
  // was none in the last half minute.
  std::optional<bool> did_well(MonoTime now) const;
  // Wakes `waiter` at each change of the breaker or the pauses, until it is taken out again.
  void watch(const async::WaiterPtr& waiter);
  void unwatch(const async::WaiterPtr& waiter);
  std::size_t watchers() const;

  // --- retry budget ---
  void attempt_started(MonoTime now);
  bool reserve_retry(MonoTime now);
  void release_retry();

  // --- 429: the origin rests, or one credential of it ---
  void pause(const std::string& credential, MonoTime until);
  std::optional<MonoTime> paused_until(const std::string& credential, MonoTime now) const;
  void end_pauses();

  // Of the credentials that clients sent: how many rest, and when the last of them may go on.
  struct Resting {
    std::size_t credentials = 0;
    MonoTime until;
  };
  Resting resting(MonoTime now) const;

  // --- what it was like of late ---
  void sample(MonoTime now);  // about once a second
  struct Recent {
    std::uint64_t requests = 0, origin_requests = 0, stale = 0, negative = 0;
    Duration origin_latency{};  // the mean of an attempt, to the last byte
  };
  Recent recent(MonoTime now, Duration span) const;

  // --- mirrors ---
  // The mirror to begin with, and what was learnt of it: one that works is kept for half a minute.
  std::size_t first_mirror(MonoTime now) const;
  void mirror_worked(std::size_t mirror, MonoTime now);

  // --- addresses that documents are rewritten to ---
  // At most kMostBases of them are kept apart; false for one more. One that nobody has used for a
  // while makes room: invented Hosts must not shut real ones out for good.
  bool admit_base(std::string_view base);

  struct LastError {
    std::string text;  // empty: none yet
    WallTime at;
  };
  void note_error(std::string text);
  LastError last_error() const;

 private:
  static constexpr std::size_t kMostBases = 16;
  static constexpr Duration kBaseIdle = 60s;
  static constexpr std::size_t kMostPauses = 1024;

  const OriginMetrics metrics_;
  std::atomic<bool> active_{true};
  std::atomic<bool> limit_shared_;
  LimitQueue limit_;
  HoldQueue hold_{*this};
  WaitingRoom waiting_;
  LargeObjects large_;
  mutable Mutex mutex_;
  std::vector<UpstreamUrl> urls_ GUARDED_BY(mutex_);
  policy::Breaker breaker_ GUARDED_BY(mutex_);
  policy::BreakerState seen_state_ GUARDED_BY(mutex_) = policy::BreakerState::closed;
  policy::RetryBudget budget_ GUARDED_BY(mutex_);
  std::map<std::string, MonoTime> pauses_ GUARDED_BY(mutex_);
  std::size_t mirror_ GUARDED_BY(mutex_) = 0;
  MonoTime mirror_until_ GUARDED_BY(mutex_);
  std::map<std::string, MonoTime, std::less<>> bases_ GUARDED_BY(mutex_);  // and their last use
  LastError last_error_ GUARDED_BY(mutex_);
  std::uint64_t told_generation_ GUARDED_BY(mutex_) = 0;  // of the cluster's breaker
  std::optional<bool> did_well_ GUARDED_BY(mutex_);       // the last attempt
  MonoTime told_at_ GUARDED_BY(mutex_);
  std::vector<async::WaiterPtr> watchers_ GUARDED_BY(mutex_);
  policy::RecentGrowth growth_ GUARDED_BY(mutex_);

  // What Recent is made from, in its order; then the attempts and the microseconds they took.
  policy::RecentGrowth::Values counters() const;
  void wake_watchers();
  // Counts a change of the breaker; gives whom it concerns.
  std::vector<async::WaiterPtr> changed(MonoTime now) REQUIRES(mutex_);
};

}  // namespace tanggul::shield
