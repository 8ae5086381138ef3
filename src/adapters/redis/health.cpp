#include "adapters/redis/health.h"

#include "base/random.h"

namespace tanggul::redis {
namespace {

constexpr Duration kOpenFor = 500ms;
// So many connections were lost or not made, and nothing was answered meanwhile: no need to wait
// until failures outweigh what went well before.
constexpr int kUnreached = 3;

}  // namespace

using policy::BreakerSample;
using policy::BreakerState;

Health::Health(Gauge& up)
    : gauge_(up),
      breaker_({.window = 5s,
                .min_requests = 3,
                .failure_ratio = 0.5,
                .open_for = kOpenFor,
                .max_open = 2s,
                .probes = 1,
                .probe_lease = 1s}) {
  gauge_.set(0);
}

std::optional<Health::Ticket> Health::enter() {
  const MonoTime now = MonoClock::now();
  const Lock lock(mutex_);
  if (breaker_.state(now) != BreakerState::closed) return std::nullopt;
  return breaker_.admit(now, thread_rng()).ticket;
}

Health::Probe Health::probe() {
  const MonoTime now = MonoClock::now();
  const Lock lock(mutex_);
  const auto admission = breaker_.admit(now, thread_rng());
  return {admission.admitted, admission.ticket, admission.retry_at};
}

template <class Change>
void Health::note(BreakerSample sample, const std::string& why, Change change) {
  const MonoTime now = MonoClock::now();
  bool up = false;
  std::string reason;
  {
    const Lock lock(mutex_);
    change(now);
    up = breaker_.state(now) == BreakerState::closed;
    if (!why.empty()) why_ = why;
    const State before = state_.load();
    if (up ? before == State::up || sample != BreakerSample::success : before == State::down)
      return;
    state_.store(up ? State::up : State::down);
    gauge_.set(up ? 1 : 0);
    if (!up) reason = why_;
  }
  tell(up, reason);
}

void Health::succeeded(const Ticket& ticket) { record(ticket, BreakerSample::success, {}); }
void Health::failed(const Ticket& ticket, const std::string& why) {
  record(ticket, BreakerSample::failure, why);
}
void Health::failed(const std::string& why) {
  const auto ticket = enter();
  if (!ticket) return;
  note(BreakerSample::failure, why, [&](MonoTime now) {
    if (++unreached_ >= kUnreached) {
      breaker_.adopt({.closed = false, .open_until = now + kOpenFor}, now);
    } else {
      breaker_.record(*ticket, BreakerSample::failure, now, thread_rng());
    }
  });
}

void Health::record(const Ticket& ticket, BreakerSample sample, const std::string& why) {
  note(sample, why, [&](MonoTime now) {
    breaker_.record(ticket, sample, now, thread_rng());
    if (sample == BreakerSample::success) unreached_ = 0;
  });
}

void Health::tell(bool up, const std::string& why) {
  std::vector<async::WaiterPtr> waiters;
  std::vector<Observer> observers;
  {
    const Lock lock(mutex_);
    waiters = waiters_;
    observers = observers_;
  }
  for (const auto& waiter : waiters) waiter->wake();
  for (const auto& observer : observers) observer(up, why);
}

void Health::wake_on_change(async::WaiterPtr waiter) {
  const Lock lock(mutex_);
  if (!closed_) waiters_.push_back(std::move(waiter));
}

void Health::forget(const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  std::erase(waiters_, waiter);
}

void Health::close() {
  std::vector<async::WaiterPtr> waiters;
  std::vector<Observer> observers;
  const Lock lock(mutex_);
  closed_ = true;
  waiters.swap(waiters_);
  observers.swap(observers_);
}

void Health::observe(Observer observer) {
  std::string why;
  {
    const Lock lock(mutex_);
    if (closed_) return;
    observers_.push_back(observer);
    why = why_;
  }
  const State state = state_.load();
  if (state != State::unknown) observer(state == State::up, state == State::up ? "" : why);
}

}  // namespace tanggul::redis
