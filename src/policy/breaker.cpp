#include "tanggul/policy/breaker.h"

#include <algorithm>

#include "tanggul/policy/backoff.h"

namespace tanggul::policy {
namespace {

// A probe ends when the origin answers, which nobody knows: ask again soon, so that neither the
// held nor the told wait for a lease that only matters if the probe is lost.
constexpr Duration kAskAgain = 1s;
constexpr std::size_t kMostLate = 16;

BreakerConfig sane(BreakerConfig c) {
  c.min_requests = std::max(c.min_requests, 1);
  c.probes = std::max(c.probes, 1);
  c.probe_lease = std::max<Duration>(c.probe_lease, 1ms);
  c.max_open = std::max(c.max_open, c.open_for);
  return c;
}

}  // namespace

std::string_view name(BreakerState state) noexcept {
  switch (state) {
    case BreakerState::closed:
      return "closed";
    case BreakerState::half_open:
      return "half_open";
    case BreakerState::open:
      return "open";
  }
  return "";
}

Breaker::Breaker(BreakerConfig config)
    : config_(sane(config)), requests_(config.window), failures_(config.window) {}

void Breaker::configure(BreakerConfig config) {
  config = sane(config);
  if (config.window != config_.window) {
    requests_ = RollingCount(config.window);
    failures_ = RollingCount(config.window);
  }
  config_ = config;
}

void Breaker::adopt(const Told& told, MonoTime now) {
  if (told.closed) {
    if (!closed_) close(now);
    return;
  }
  const bool opens = closed_ || (now >= open_until_ && told.open_until > now);
  failed_rounds_ = told.failed_rounds;
  open_until_ = told.open_until;
  probed_elsewhere_ = told.probed_until;
  if (!opens) return;
  closed_ = false;
  ++generation_;
  probed_ = false;
  successes_ = 0;
  probe_.reset();
  late_.clear();
  count(BreakerState::open, now);
}

BreakerState Breaker::state(MonoTime now) const {
  if (closed_) return BreakerState::closed;
  return now < open_until_ ? BreakerState::open : BreakerState::half_open;
}

bool Breaker::would_admit(MonoTime now) const {
  const auto s = state(now);
  return s == BreakerState::closed || (s == BreakerState::half_open && !probe_lives(now));
}

MonoTime Breaker::next_probe(MonoTime now) const {
  if (would_admit(now)) return now;
  if (state(now) == BreakerState::open) return open_until_;
  const MonoTime expires = probe_ && now < probe_->expires ? probe_->expires : *probed_elsewhere_;
  return std::min(expires, now + kAskAgain);
}

Breaker::Admission Breaker::admit(MonoTime now, Rng& /*rng*/) {
  if (!would_admit(now)) return {false, {}, next_probe(now)};
  if (closed_) return {true, {generation_, false, 0}, now};
  if (!probed_) {
    probed_ = true;
    count(BreakerState::half_open, now);
  }
  if (probe_ && late_.size() < kMostLate) late_.push_back(probe_->id);
  probe_ = Probe{++last_probe_id_, now + config_.probe_lease};
  return {true, {generation_, true, probe_->id}, now};
}

void Breaker::record(const Ticket& ticket, BreakerSample sample, MonoTime now, Rng& rng) {
  if (ticket.generation != generation_) return;
  if (!ticket.probe)
    record_request(sample, now, rng);
  else if (probe_ && probe_->id == ticket.probe_id)
    record_probe(sample, now, rng);
  else if (std::erase(late_, ticket.probe_id) > 0 && sample == BreakerSample::success)
    count_success(now);
}

void Breaker::record_request(BreakerSample sample, MonoTime now, Rng& rng) {
  if (sample == BreakerSample::ignored) return;
  requests_.add(now);
  // A success opens nothing: failures that were too few until now are no outage now.
  if (sample == BreakerSample::success) return;
  failures_.add(now);
  const auto requests = requests_.total(now);
  if (requests < static_cast<std::uint64_t>(config_.min_requests)) return;
  const auto failures = static_cast<double>(failures_.total(now));
  if (failures >= config_.failure_ratio * static_cast<double>(requests)) open(now, rng);
}

void Breaker::record_probe(BreakerSample sample, MonoTime now, Rng& rng) {
  probe_.reset();
  if (sample == BreakerSample::failure) {
    ++failed_rounds_;
    open(now, rng);
  } else if (sample == BreakerSample::success) {
    count_success(now);
  }
}

void Breaker::count_success(MonoTime now) {
  if (++successes_ >= config_.probes) close(now);
}

void Breaker::open(MonoTime now, Rng& rng) {
  closed_ = false;
  ++generation_;
  probed_ = false;
  successes_ = 0;
  probe_.reset();
  probed_elsewhere_.reset();
  late_.clear();
  const auto longest = doubled(config_.open_for, failed_rounds_, config_.max_open);
  open_until_ = now + std::chrono::duration_cast<Duration>(longest * rng.between(0.8, 1.0));
  count(BreakerState::open, now);
}

void Breaker::close(MonoTime now) {
  closed_ = true;
  ++generation_;
  failed_rounds_ = 0;
  probe_.reset();
  probed_elsewhere_.reset();
  late_.clear();
  requests_.clear();
  failures_.clear();
  count(BreakerState::closed, now);
}

void Breaker::count(BreakerState to, MonoTime now) {
  const bool well = to == BreakerState::closed;
  if (well != was_closed_ || since_ == MonoTime{}) since_ = now;
  was_closed_ = well;
  ++transitions_[static_cast<std::size_t>(to)];
}

std::uint64_t Breaker::transitions(BreakerState to) const {
  return transitions_[static_cast<std::size_t>(to)];
}

}  // namespace tanggul::policy
