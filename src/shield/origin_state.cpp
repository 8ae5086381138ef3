#include "shield/origin_state.h"

#include <algorithm>
#include <limits>

namespace tanggul::shield {
namespace {

OriginMetrics make_metrics(const OriginConfig& config, MetricSet& set) {
  OriginMetrics m;
  const std::string& origin = m.origin = config.name;
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
  return m;
}

}  // namespace

OriginState::OriginState(const OriginConfig& config, MetricSet& metrics)
    : metrics_(make_metrics(config, metrics)),
      limit_shared_(config.limit_shared),
      limit_(config.limit,
             metrics.histogram("tanggul_limit_wait_seconds", "Waiting for a place at the origin",
                               {{"origin", config.name}}),
             metrics.counter("tanggul_limit_refused_total",
                             "Fetches that got no place at the origin", {{"origin", config.name}})),
      waiting_(config.hold.max),
      urls_(config.upstreams),
      breaker_(config.breaker),
      budget_(config.retry_budget),
      growth_(MonoClock::now(), counters()) {
  const auto show = [&](const char* family, const char* help, std::function<double()> read) {
    metrics.gauge_fn(family, help, {{"origin", config.name}}, [this, read = std::move(read)] {
      return active_.load() ? read() : std::numeric_limits<double>::quiet_NaN();
    });
  };
  show("tanggul_breaker_state", "0 closed, 1 half-open, 2 open",
       [this] { return static_cast<double>(breaker_state(MonoClock::now())); });
  show("tanggul_limit_queue", "Fetches waiting for a place at the origin",
       [this] { return static_cast<double>(limit_.queued()); });
  show("tanggul_limit_queue_max", "Of them at most, those held before not counted",
       [this] { return static_cast<double>(limit_.most_queued()); });
  show("tanggul_origin_paused_seconds", "Until the origin may be asked again after 429", [this] {
    const MonoTime now = MonoClock::now();
    const auto until = paused_until("", now);
    return until ? seconds(*until - now) : 0.0;
  });
  show("tanggul_gates_waiting", "Clients at the gate of the origin",
       [this] { return static_cast<double>(watchers()); });
  show("tanggul_held_requests", "Requests held while the breaker is open",
       [this] { return static_cast<double>(waiting_.size()); });
}

void OriginState::configure(const OriginConfig& config) {
  std::vector<async::WaiterPtr> woken;
  active_.store(true);
  limit_shared_.store(config.limit_shared);
  limit_.configure(config.limit);
  waiting_.configure(config.hold.max);
  {
    const Lock lock(mutex_);
    breaker_.configure(config.breaker);
    budget_.configure(config.retry_budget);
    if (urls_ != config.upstreams) {  // another server: nothing is known of it
      urls_ = config.upstreams;
      breaker_.forget(MonoClock::now());
      pauses_.clear();
      last_error_ = {};
      did_well_.reset();
      mirror_until_ = {};
    }
    woken = changed(MonoClock::now());
  }
  for (const auto& w : woken) w->wake();
  hold_.end_rests();
}

bool OriginState::would_admit(MonoTime now) const {
  const Lock lock(mutex_);
  return breaker_.would_admit(now);
}

policy::Breaker::Admission OriginState::admit(MonoTime now, Rng& rng) {
  std::vector<async::WaiterPtr> woken;
  policy::Breaker::Admission admission;
  {
    const Lock lock(mutex_);
    admission = breaker_.admit(now, rng);
    woken = changed(now);
  }
  for (const auto& w : woken) w->wake();
  return admission;
}

void OriginState::record(const policy::Breaker::Ticket& ticket, policy::BreakerSample sample,
                         MonoTime now, Rng& rng) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    breaker_.record(ticket, sample, now, rng);
    woken = changed(now);
    if (sample != policy::BreakerSample::ignored) {
      const bool well = sample == policy::BreakerSample::success;
      if (did_well_ != well) woken = watchers_;
      did_well_ = well;
      told_at_ = now;
    }
  }
  for (const auto& w : woken) w->wake();
  // A probe that has ended makes room for the next, whatever came of it.
  if (ticket.probe) hold_.look();
}

void OriginState::note_outcome(bool well, MonoTime now) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    if (did_well_ != well) woken = watchers_;
    did_well_ = well;
    told_at_ = now;
  }
  for (const auto& w : woken) w->wake();
}

void OriginState::adopt(const ports::BreakerView& view, MonoTime now, bool asked) {
  using State = ports::BreakerView::State;
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    if (!asked && view.generation < told_generation_) return;
    told_generation_ = view.generation;
    policy::Breaker::Told told;
    told.closed = view.state == State::closed;
    told.open_until = view.state == State::open ? now + view.until : now;
    told.failed_rounds = view.failed_rounds;
    if (view.state == State::half_open && view.probing) told.probed_until = now + view.until;
    breaker_.adopt(told, now);
    woken = changed(now);
  }
  for (const auto& w : woken) w->wake();
  hold_.look();
}

void OriginState::share_limits(LimitShare share, std::size_t nodes) {
  limit_.share(limit_shared_.load() ? share : LimitShare::own, nodes);
}

std::vector<async::WaiterPtr> OriginState::changed(MonoTime now) {
  const auto state = breaker_.state(now);
  if (state == seen_state_) return {};
  seen_state_ = state;
  metrics_.transitions[static_cast<std::size_t>(state)]->add();
  return watchers_;
}

void OriginState::retire() {
  active_.store(false);
  wake_watchers();
}

void OriginState::drain() {
  waiting_.close();
  wake_watchers();
}

void OriginState::wake_watchers() {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    woken = watchers_;
  }
  for (const auto& w : woken) w->wake();
}

std::size_t OriginState::watchers() const {
  const Lock lock(mutex_);
  return watchers_.size();
}

std::optional<bool> OriginState::did_well(MonoTime now) const {
  constexpr Duration kRemembered = 30s;
  const Lock lock(mutex_);
  if (did_well_ && now - told_at_ > kRemembered) return std::nullopt;
  return did_well_;
}

void OriginState::watch(const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  if (std::find(watchers_.begin(), watchers_.end(), waiter) == watchers_.end())
    watchers_.push_back(waiter);
}

void OriginState::unwatch(const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  std::erase(watchers_, waiter);
}

policy::BreakerState OriginState::breaker_state(MonoTime now) const {
  const Lock lock(mutex_);
  return breaker_.state(now);
}
MonoTime OriginState::breaker_since() const {
  const Lock lock(mutex_);
  return breaker_.since();
}
MonoTime OriginState::next_probe(MonoTime now) const {
  const Lock lock(mutex_);
  return breaker_.next_probe(now);
}

void OriginState::attempt_started(MonoTime now) {
  const Lock lock(mutex_);
  budget_.attempt_started(now);
}
bool OriginState::reserve_retry(MonoTime now) {
  const Lock lock(mutex_);
  return budget_.reserve(now);
}
void OriginState::release_retry() {
  const Lock lock(mutex_);
  budget_.release();
}

void OriginState::pause(const std::string& credential, MonoTime until) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    // A flood of credentials must not grow this table, nor shut out the origin's own pause: what
    // ends first goes first.
    if (pauses_.size() >= kMostPauses && !credential.empty() && !pauses_.contains(credential)) {
      const auto soonest = std::min_element(pauses_.begin(), pauses_.end(),
                                            [](auto& x, auto& y) { return x.second < y.second; });
      if (!soonest->first.empty()) pauses_.erase(soonest);
    }
    MonoTime& end = pauses_[credential];
    end = std::max(end, until);
    if (credential.empty()) woken = watchers_;
  }
  for (const auto& w : woken) w->wake();
}

void OriginState::end_pauses() {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    pauses_.clear();
    woken = watchers_;
  }
  for (const auto& w : woken) w->wake();
  hold_.end_rests();
}

std::optional<MonoTime> OriginState::paused_until(const std::string& credential,
                                                  MonoTime now) const {
  const Lock lock(mutex_);
  const auto at = pauses_.find(credential);
  if (at == pauses_.end() || at->second <= now) return std::nullopt;
  return at->second;
}

OriginState::Resting OriginState::resting(MonoTime now) const {
  const Lock lock(mutex_);
  Resting out;
  for (const auto& [credential, until] : pauses_) {
    if (credential.empty() || until <= now) continue;
    ++out.credentials;
    out.until = std::max(out.until, until);
  }
  return out;
}

policy::RecentGrowth::Values OriginState::counters() const {
  const auto of = [&](Outcome o) {
    return metrics_.requests[static_cast<std::size_t>(o)]->value();
  };
  std::uint64_t requests = 0, asked = 0, attempts = 0;
  for (const Counter* c : metrics_.requests) requests += c->value();
  for (const auto& [code, c] : metrics_.origin_requests) asked += c->value();
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i)
    attempts += metrics_.origin_duration->bucket(i);
  return {requests,           asked,
          of(Outcome::stale), of(Outcome::negative),
          attempts,           static_cast<std::uint64_t>(metrics_.origin_duration->sum() * 1e6)};
}

void OriginState::sample(MonoTime now) {
  const Lock lock(mutex_);
  growth_.sample(now, counters());
}

OriginState::Recent OriginState::recent(MonoTime now, Duration span) const {
  const Lock lock(mutex_);
  const auto grown = growth_.growth(now, span, counters());
  Recent out{grown[0], grown[1], grown[2], grown[3], {}};
  if (grown[4] > 0) out.origin_latency = std::chrono::microseconds(grown[5] / grown[4]);
  return out;
}

std::size_t OriginState::first_mirror(MonoTime now) const {
  const Lock lock(mutex_);
  return now < mirror_until_ ? mirror_ : 0;
}

void OriginState::mirror_worked(std::size_t mirror, MonoTime now) {
  const Lock lock(mutex_);
  if (now < mirror_until_ && mirror_ == mirror) return;  // the first is tried again in time
  mirror_ = mirror;
  mirror_until_ = now + 30s;
}

bool OriginState::admit_base(std::string_view base) {
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

void OriginState::note_error(std::string text) {
  const Lock lock(mutex_);
  last_error_ = {std::move(text), wall_now()};
}

OriginState::LastError OriginState::last_error() const {
  const Lock lock(mutex_);
  return last_error_;
}

}  // namespace tanggul::shield
