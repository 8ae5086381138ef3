#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "policy/breaker.h"
#include "policy/retry_budget.h"
#include "shield/config.h"
#include "shield/limit_queue.h"

namespace tanggul::shield {

// The results of tanggul_requests_total.
enum class Outcome { hit, stale, negative, miss, coalesced, pass, error, aborted };
inline constexpr std::array<std::string_view, 8> kOutcomeNames = {
    "hit", "stale", "negative", "miss", "coalesced", "pass", "error", "aborted"};
constexpr std::string_view name(Outcome o) { return kOutcomeNames[static_cast<std::size_t>(o)]; }

struct PatternMetrics {
  std::string name;
  Counter* shared;
  Counter* flights_started;
};

struct OriginMetrics {
  std::array<Counter*, kOutcomeNames.size()> requests;
  Histogram* request_duration;
  Histogram* origin_duration;
  std::map<std::string, Counter*, std::less<>> origin_requests;  // by code, filled at start
  std::map<std::string, Counter*, std::less<>> retries;          // by outcome
  Gauge* flights;
  std::array<Counter*, 3> transitions;  // to closed, half_open, open
  std::vector<PatternMetrics> patterns;
};

// One origin as this process knows it: its configuration, and what is shared by all threads that
// call it. Thread-safe.
class Upstream {
 public:
  Upstream(OriginConfig config, MetricSet& metrics);

  const OriginConfig& config() const noexcept { return config_; }
  const OriginMetrics& metrics() const noexcept { return metrics_; }
  LimitQueue& limit() noexcept { return limit_; }
  const LimitQueue& limit() const noexcept { return limit_; }

  // --- breaker ---
  bool would_admit(MonoTime now) const;
  policy::Breaker::Admission admit(MonoTime now, Rng& rng);
  void record(const policy::Breaker::Ticket& ticket, policy::BreakerSample sample, MonoTime now,
              Rng& rng);
  policy::BreakerState breaker_state(MonoTime now) const;
  MonoTime breaker_since() const;
  MonoTime next_probe(MonoTime now) const;

  // --- retry budget ---
  void attempt_started(MonoTime now);
  bool reserve_retry(MonoTime now);
  void release_retry();

  // --- 429: the origin rests, or one credential of it ---
  void pause(const std::string& credential, MonoTime until);
  std::optional<MonoTime> paused_until(const std::string& credential, MonoTime now) const;

  // --- mirrors ---
  // The mirror to begin with, and what was learnt of it: one that works is kept for half a minute.
  std::size_t first_mirror(MonoTime now) const;
  void mirror_worked(std::size_t mirror, MonoTime now);

  // --- addresses that documents are rewritten to ---
  // At most kMostBases of them are kept apart; false for one more. One that nobody has used for a
  // while makes room: invented Hosts must not shut real ones out for good.
  bool admit_base(std::string_view base);

  void note_error(std::string text);
  std::string last_error() const;

 private:
  static constexpr std::size_t kMostBases = 16;
  static constexpr Duration kBaseIdle = 60s;
  static constexpr std::size_t kMostPauses = 1024;

  const OriginConfig config_;
  OriginMetrics metrics_;
  LimitQueue limit_;
  mutable Mutex mutex_;
  policy::Breaker breaker_ GUARDED_BY(mutex_);
  policy::BreakerState seen_state_ GUARDED_BY(mutex_) = policy::BreakerState::closed;
  policy::RetryBudget budget_ GUARDED_BY(mutex_);
  std::map<std::string, MonoTime> pauses_ GUARDED_BY(mutex_);
  std::size_t mirror_ GUARDED_BY(mutex_) = 0;
  MonoTime mirror_until_ GUARDED_BY(mutex_);
  std::map<std::string, MonoTime, std::less<>> bases_ GUARDED_BY(mutex_);  // and their last use
  std::string last_error_ GUARDED_BY(mutex_);

  void count_transition(MonoTime now) REQUIRES(mutex_);
};

}  // namespace tanggul::shield
