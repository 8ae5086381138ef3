#include "adapters/redis/health.h"

#include <algorithm>

#include "tanggul/base/random.h"

namespace tanggul::redis {
namespace {

constexpr Duration kOpenFor = 500ms;
// So many connections were lost or not made, and nothing was answered meanwhile: no need to wait
// until failures outweigh what went well before.
constexpr int kUnreached = 3;
constexpr Duration kReasonStands = 10s;  // before another one is told

// READONLY, OOM, NOAUTH, ERR, …
std::string_view error_word(std::string_view why) {
  const std::string_view word = why.substr(0, why.find(' '));
  const bool capitals =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return capitals && word.size() > 1 ? word : std::string_view();
}

// Without addresses: the word of an error, or what a system call said; that no answer came, however
// that was found, is one kind.
std::string_view kind_of(std::string_view why) {
  if (const auto word = error_word(why); !word.empty()) return word;
  const std::size_t colon = why.rfind(": ");
  return colon == std::string_view::npos ? std::string_view() : why.substr(colon + 2);
}

}  // namespace

using policy::BreakerSample;
using policy::BreakerState;

bool answered_with_error(std::string_view why) { return !error_word(why).empty(); }

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

void Health::succeeded(const Ticket& ticket) { record(ticket, BreakerSample::success, {}); }
void Health::failed(const Ticket& ticket, const std::string& why) {
  record(ticket, BreakerSample::failure, why);
}

void Health::failed(const std::string& why) {
  const MonoTime now = MonoClock::now();
  std::optional<News> told;
  {
    const Lock lock(mutex_);
    if (breaker_.state(now) == BreakerState::closed) count_unreached(now);
    told = news(BreakerSample::failure, why, now);
  }
  if (told) tell(*told);
}

void Health::record(const Ticket& ticket, BreakerSample sample, const std::string& why) {
  const MonoTime now = MonoClock::now();
  std::optional<News> told;
  {
    const Lock lock(mutex_);
    breaker_.record(ticket, sample, now, thread_rng());
    if (sample == BreakerSample::success) unreached_ = 0;
    told = news(sample, why, now);
  }
  if (told) tell(*told);
}

void Health::count_unreached(MonoTime now) {
  if (++unreached_ >= kUnreached) {
    breaker_.adopt({.closed = false, .open_until = now + kOpenFor}, now);
  } else {
    const auto ticket = breaker_.admit(now, thread_rng()).ticket;
    breaker_.record(ticket, BreakerSample::failure, now, thread_rng());
  }
}

std::optional<Health::News> Health::news(BreakerSample sample, const std::string& why,
                                         MonoTime now) {
  if (!why.empty()) why_ = why;
  const bool up = breaker_.state(now) == BreakerState::closed;
  const State before = state_.load();
  if (up && (before == State::up || sample != BreakerSample::success)) return std::nullopt;
  if (!up && before == State::down && !another_reason(now)) return std::nullopt;
  state_.store(up ? State::up : State::down);
  gauge_.set(up ? 1 : 0);
  if (up) return News{true, {}};
  why_told_ = why_;
  told_at_ = now;
  return News{false, why_};
}

bool Health::another_reason(MonoTime now) const {
  return now - told_at_ >= kReasonStands && kind_of(why_) != kind_of(why_told_);
}

void Health::tell(const News& news) {
  std::vector<async::WaiterPtr> waiters;
  std::vector<Observer> observers;
  {
    const Lock lock(mutex_);
    waiters = waiters_;
    observers = observers_;
  }
  for (const auto& waiter : waiters) waiter->wake();
  for (const auto& observer : observers) observer(news.up, news.why);
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
