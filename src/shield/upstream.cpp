#include "shield/upstream.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tanggul::shield {
namespace {

OriginMetrics make_metrics(const OriginConfig& config, MetricSet& set) {
  OriginMetrics m;
  const std::string& origin = config.name;
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i)
    m.requests[i] = &set.counter("tanggul_requests_total", "Requests of clients, by what they got",
                                 {{"origin", origin}, {"result", std::string(kOutcomeNames[i])}});
  m.request_duration =
      &set.histogram("tanggul_request_duration_seconds",
                     "From the request head to the last byte of the answer", {{"origin", origin}});
  m.origin_duration =
      &set.histogram("tanggul_origin_duration_seconds", "Attempts at the origin, to the last byte",
                     {{"origin", origin}});
  for (const char* code :
       {"2xx", "3xx", "4xx", "429", "5xx", "connect", "reset", "timeout", "truncated"})
    m.origin_requests[code] =
        &set.counter("tanggul_origin_requests_total", "Attempts at the origin, by how they ended",
                     {{"origin", origin}, {"code", code}});
  for (const char* outcome : {"success", "failure", "budget_exhausted", "deadline"})
    m.retries[outcome] = &set.counter("tanggul_retries_total", "Retries, by how they ended",
                                      {{"origin", origin}, {"outcome", outcome}});
  m.flights = &set.gauge("tanggul_flights", "Fetches that run now", {{"origin", origin}});
  const char* states[] = {"closed", "half_open", "open"};
  for (std::size_t i = 0; i < 3; ++i)
    m.transitions[i] = &set.counter("tanggul_breaker_transitions_total", "Changes of the breaker",
                                    {{"origin", origin}, {"to", states[i]}});
  for (const std::string& pattern : config.key_patterns)
    m.patterns.push_back({pattern,
                          &set.counter("singleflight_shared_total",
                                       "Responses that another request's fetch paid for",
                                       {{"key_pattern", pattern}}),
                          &set.counter("tanggul_flights_started_total", "Fetches started",
                                       {{"key_pattern", pattern}})});
  return m;
}

}  // namespace

Upstream::Upstream(OriginConfig config, MetricSet& metrics)
    : config_(std::move(config)),
      metrics_(make_metrics(config_, metrics)),
      limit_(config_.limit,
             metrics.histogram("tanggul_limit_wait_seconds", "Waiting for a place at the origin",
                               {{"origin", config_.name}})),
      breaker_(config_.breaker),
      budget_(config_.retry_budget) {
  const Labels labels{{"origin", config_.name}};
  metrics.gauge_fn("tanggul_breaker_state", "0 closed, 1 half-open, 2 open", labels,
                   [this] { return static_cast<double>(breaker_state(MonoClock::now())); });
  metrics.gauge_fn("tanggul_limit_queue", "Fetches waiting for a place at the origin", labels,
                   [this] { return static_cast<double>(limit_.queued()); });
  metrics.gauge_fn("tanggul_origin_paused_seconds", "Until the origin may be asked again after 429",
                   labels, [this] {
                     const MonoTime now = MonoClock::now();
                     const auto until = paused_until("", now);
                     return until ? seconds(*until - now) : 0.0;
                   });
  metrics.gauge("tanggul_held_requests", "Requests held while the breaker is open", labels);
}

bool Upstream::would_admit(MonoTime now) const {
  const Lock lock(mutex_);
  return breaker_.would_admit(now);
}

policy::Breaker::Admission Upstream::admit(MonoTime now, Rng& rng) {
  const Lock lock(mutex_);
  const auto admission = breaker_.admit(now, rng);
  count_transition(now);
  return admission;
}

void Upstream::record(const policy::Breaker::Ticket& ticket, policy::BreakerSample sample,
                      MonoTime now, Rng& rng) {
  const Lock lock(mutex_);
  breaker_.record(ticket, sample, now, rng);
  count_transition(now);
}

void Upstream::count_transition(MonoTime now) {
  const auto state = breaker_.state(now);
  if (state == seen_state_) return;
  seen_state_ = state;
  metrics_.transitions[static_cast<std::size_t>(state)]->add();
}

policy::BreakerState Upstream::breaker_state(MonoTime now) const {
  const Lock lock(mutex_);
  return breaker_.state(now);
}
MonoTime Upstream::breaker_since() const {
  const Lock lock(mutex_);
  return breaker_.since();
}
MonoTime Upstream::next_probe(MonoTime now) const {
  const Lock lock(mutex_);
  return breaker_.next_probe(now);
}

void Upstream::attempt_started(MonoTime now) {
  const Lock lock(mutex_);
  budget_.attempt_started(now);
}
bool Upstream::reserve_retry(MonoTime now) {
  const Lock lock(mutex_);
  return budget_.reserve(now);
}
void Upstream::release_retry() {
  const Lock lock(mutex_);
  budget_.release();
}

void Upstream::pause(const std::string& credential, MonoTime until) {
  const Lock lock(mutex_);
  // A flood of credentials must not grow this table, nor shut out the origin's own pause: what ends
  // first goes first.
  if (pauses_.size() >= kMostPauses && !credential.empty() && !pauses_.contains(credential)) {
    const auto soonest = std::min_element(pauses_.begin(), pauses_.end(),
                                          [](auto& x, auto& y) { return x.second < y.second; });
    if (!soonest->first.empty()) pauses_.erase(soonest);
  }
  MonoTime& end = pauses_[credential];
  end = std::max(end, until);
}

std::optional<MonoTime> Upstream::paused_until(const std::string& credential, MonoTime now) const {
  const Lock lock(mutex_);
  const auto at = pauses_.find(credential);
  if (at == pauses_.end() || at->second <= now) return std::nullopt;
  return at->second;
}

std::size_t Upstream::first_mirror(MonoTime now) const {
  const Lock lock(mutex_);
  return now < mirror_until_ ? mirror_ : 0;
}

void Upstream::mirror_worked(std::size_t mirror, MonoTime now) {
  const Lock lock(mutex_);
  if (now < mirror_until_ && mirror_ == mirror) return;  // the first is tried again in time
  mirror_ = mirror;
  mirror_until_ = now + 30s;
}

bool Upstream::admit_base(std::string_view base) {
  const MonoTime now = MonoClock::now();
  const Lock lock(mutex_);
  if (const auto known = bases_.find(base); known != bases_.end()) {
    known->second = now;
    return true;
  }
  if (bases_.size() >= kMostBases) {
    const auto oldest = std::min_element(bases_.begin(), bases_.end(),
                                         [](auto& x, auto& y) { return x.second < y.second; });
    if (now - oldest->second < kBaseIdle) return false;
    bases_.erase(oldest);
  }
  bases_.emplace(base, now);
  return true;
}

void Upstream::note_error(std::string text) {
  const Lock lock(mutex_);
  last_error_ = std::move(text);
}
std::string Upstream::last_error() const {
  const Lock lock(mutex_);
  return last_error_;
}

}  // namespace tanggul::shield
