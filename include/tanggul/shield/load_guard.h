#pragma once

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"
#include "tanggul/flight/alarm.h"
#include "tanggul/policy/breaker.h"
#include "tanggul/policy/concurrency_limit.h"
#include "tanggul/policy/rate_limit.h"
#include "tanggul/policy/retry_budget.h"
#include "tanggul/shield/mono_timer.h"
#include "tanggul/shield/read_through_config.h"
#include "tanggul/shield/reading.h"

namespace tanggul::read_through {

namespace asio = boost::asio;

// Ends at the time, on whatever clock stands over MonoClock.
template <class Executor>
asio::awaitable<void, Executor> wait_until(flight::Alarm<MonoClock, Executor>& alarm,
                                           MonoTime time) {
  constexpr asio::use_awaitable_t<Executor> use_here;
  co_await alarm.async_wait_until(time, asio::as_tuple(use_here));
}
template <class Executor>
asio::awaitable<void, Executor> sleep_until(MonoTime time) {
  flight::Alarm<MonoClock, Executor> alarm(co_await asio::this_coro::executor);
  while (MonoClock::now() < time) co_await wait_until(alarm, time);
}

// What stands between the loads and what they load from: breaker, places, rate and the retries'
// budget, the shield's own policies. First come, first served. Thread-safe.
class LoadGuard : public std::enable_shared_from_this<LoadGuard> {
 public:
  LoadGuard(const ReadThroughConfig& config, const Rng& rng)
      : config_(config),
        rng_(rng),
        breaker_(config.breaker),
        limit_(config.concurrency),
        rate_(config.rate, config.burst),
        budget_(config.retry_ratio) {}

  // One attempt's place and its ticket; whoever holds it runs. Unless record() was called the
  // attempt says nothing.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place() { give_back(); }
    // How it went; the place is kept until the attempt has really ended.
    void record(policy::BreakerSample sample) {
      if (!guard_ || std::exchange(recorded_, true)) return;
      guard_->record(*this, sample);
    }
    void give_back() {
      if (!guard_) return;
      record(policy::BreakerSample::ignored);
      std::exchange(guard_, nullptr)->leave();
    }
    explicit operator bool() const noexcept { return guard_ != nullptr; }
    MonoTime began() const noexcept { return began_; }

   private:
    friend LoadGuard;
    std::shared_ptr<LoadGuard> guard_;
    policy::Breaker::Ticket ticket_;
    MonoTime began_;
    bool recorded_ = false;
  };

  struct Entered {
    Place place;  // none: refused
    ReadError why = ReadError::none;
    Duration retry_after{};
  };

  template <class Executor>
  asio::awaitable<Entered, Executor> enter(MonoTime deadline) {
    if (const MonoTime now = MonoClock::now(); !would_admit(now)) co_return open(now);
    Waiting<Executor> waiting(*this, co_await asio::this_coro::executor);
    const MonoTime until = std::min(deadline, MonoClock::now() + config_.queue_wait);
    while (waiting.queued() && MonoClock::now() < until)
      co_await wait_until(waiting.alarm(), until);
    if (!waiting.granted()) co_return full({});
    const MonoTime now = MonoClock::now();
    const Duration delay = reserve(now, deadline);
    if (now + delay > deadline) co_return full(delay);
    if (delay > Duration::zero()) co_await sleep_until<Executor>(now + delay);
    co_return admit(waiting);
  }

  // A retry may be scheduled now; its place in the budget lasts as long as what is returned.
  std::shared_ptr<void> reserve_retry(MonoTime now) {
    const std::lock_guard lock(mutex_);
    if (!budget_.reserve(now)) return nullptr;
    return {this, [self = shared_from_this()](LoadGuard*) {
              const std::lock_guard again(self->mutex_);
              self->budget_.release();
            }};
  }
  Duration backoff(int exponent) {
    const std::lock_guard lock(mutex_);
    return policy::full_jitter(config_.retry, exponent, rng_);
  }

  struct State {
    std::size_t running, queued;
    std::uint64_t open, limit;
    policy::BreakerState breaker;
  };
  State state(MonoTime now) const {
    const std::lock_guard lock(mutex_);
    return {running_, queue_.size(), refused_open_, refused_limit_, breaker_.state(now)};
  }

 private:
  struct Waiter {
    virtual void ring() noexcept = 0;
    std::list<Waiter*>::iterator place;
    bool queued = false, granted = false;

   protected:
    ~Waiter() = default;
  };

  // In the queue, or with a place, for as long as it is in scope.
  template <class Executor>
  class Waiting final : Waiter {
   public:
    Waiting(LoadGuard& guard, const Executor& executor) : guard_(guard), alarm_(executor) {
      guard_.join(*this);
    }
    ~Waiting() { guard_.withdraw(*this); }
    bool queued() const { return guard_.reads(this->Waiter::queued); }
    bool granted() const { return guard_.reads(this->Waiter::granted); }
    flight::Alarm<MonoClock, Executor>& alarm() noexcept { return alarm_; }

   private:
    friend LoadGuard;
    void ring() noexcept override { alarm_.ring(); }
    LoadGuard& guard_;
    flight::Alarm<MonoClock, Executor> alarm_;
  };

  bool reads(const bool& flag) const {
    const std::lock_guard lock(mutex_);
    return flag;
  }
  bool would_admit(MonoTime now) const {
    const std::lock_guard lock(mutex_);
    return breaker_.would_admit(now);
  }
  bool has_room() const { return running_ < static_cast<std::size_t>(std::max(1, limit_.limit())); }
  void join(Waiter& waiter) {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() && has_room()) {
      waiter.granted = true;
      ++running_;
    } else if (queue_.size() < config_.queue) {
      waiter.queued = true;
      waiter.place = queue_.insert(queue_.end(), &waiter);
    }
  }
  void withdraw(Waiter& waiter) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(waiter.queued, false)) queue_.erase(waiter.place);
    if (std::exchange(waiter.granted, false)) free_one();
  }
  void free_one() {
    --running_;
    while (!queue_.empty() && has_room()) {
      Waiter& next = *queue_.front();
      queue_.pop_front();
      next.queued = false;
      next.granted = true;
      ++running_;
      next.ring();
    }
  }
  // How long until its turn; nothing is reserved that would come after the deadline.
  Duration reserve(MonoTime now, MonoTime deadline) {
    const std::lock_guard lock(mutex_);
    const Duration delay = rate_.delay(now);
    return now + delay > deadline ? delay : rate_.reserve(now);
  }
  Entered open(MonoTime now) {
    const std::lock_guard lock(mutex_);
    ++refused_open_;
    return {{}, ReadError::open, breaker_.next_probe(now) - now};
  }
  Entered full(Duration retry_after) {
    const std::lock_guard lock(mutex_);
    ++refused_limit_;
    return {{}, ReadError::limit, retry_after};
  }
  Entered admit(Waiter& waiter) {
    const MonoTime now = MonoClock::now();
    const std::lock_guard lock(mutex_);
    const auto admission = breaker_.admit(now, rng_);
    if (!admission.admitted) {
      ++refused_open_;
      return {{}, ReadError::open, admission.retry_at - now};
    }
    budget_.attempt_started(now);
    waiter.granted = false;  // the place is the attempt's from now on
    Entered entered;
    entered.place.guard_ = shared_from_this();
    entered.place.ticket_ = admission.ticket;
    entered.place.began_ = now;
    return entered;
  }
  void record(const Place& place, policy::BreakerSample sample) {
    using policy::BreakerSample;
    const MonoTime now = MonoClock::now();
    const std::lock_guard lock(mutex_);
    breaker_.record(place.ticket_, sample, now, rng_);
    if (sample != BreakerSample::ignored) {
      limit_.sample(now - place.began_, static_cast<int>(running_),
                    sample == BreakerSample::failure);
    }
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    free_one();
  }

  const ReadThroughConfig config_;
  mutable std::mutex mutex_;  // guards all below
  Rng rng_;
  policy::Breaker breaker_;
  policy::ConcurrencyLimit limit_;
  policy::RateLimit rate_;
  policy::RetryBudget budget_;
  std::size_t running_ = 0;
  std::list<Waiter*> queue_;
  std::uint64_t refused_open_ = 0, refused_limit_ = 0;
};

}  // namespace tanggul::read_through
