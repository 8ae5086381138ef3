#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "tanggul/flight/outcome.h"

// The parts that SingleFlight is made of. Users need single_flight.h and awaitable.h alone.
namespace tanggul::flight {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

// Somebody who is told of a flight's end without a thread that waits for it. Owned by the waiter,
// who takes it out again before it goes.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // Called once, on the thread that ended the flight and under the flight's lock: it must not come
  // back to the flight. The lock is what makes unlisten() final: after it nobody calls any more.
  virtual void ended() noexcept = 0;

 protected:
  ~Listener() = default;

 private:
  template <class>
  friend class Flight;
  Listener* before_ = nullptr;
  Listener* after_ = nullptr;
  bool listening_ = false;
};

// One flight: it ends once, by the first of land(), fail() and abandon(), and from then on what it
// brought is immutable. Thread-safe.
template <class Value>
class Flight {
 public:
  enum class Phase : std::uint8_t { flying, landed, failed, abandoned };

  Flight() = default;
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  Phase phase() const noexcept { return phase_.load(std::memory_order_acquire); }
  bool over() const noexcept { return phase() != Phase::flying; }

  void land(Value&& value) noexcept {
    if (claimed_.exchange(true)) return;
    try {
      value_.emplace(std::move(value));
    } catch (...) {
      failure_ = std::current_exception();
      end(Phase::failed);
      return;
    }
    end(Phase::landed);
  }
  // No exception: a foreign one, such as the unwinding of a cancelled thread, has no pointer.
  void fail(std::exception_ptr failure) noexcept {
    if (claimed_.exchange(true)) return;
    failure_ = std::move(failure);
    end(failure_ ? Phase::failed : Phase::abandoned);
  }
  void abandon() noexcept { fail(nullptr); }

  // Only once it has landed.
  const Value& value() const noexcept { return *value_; }
  // Only once it has failed.
  const std::exception_ptr& failure() const noexcept { return failure_; }

  // Blocks this thread until the end or the deadline, TimePoint::max() for none; whether it is
  // over.
  bool wait_until(TimePoint deadline) {
    if (over()) return true;
    if (deadline != TimePoint::max() && Clock::now() >= deadline) return false;  // no system call
    std::unique_lock lock(mutex_);
    ++sleepers_;
    const auto is_over = [this] { return over(); };
    if (deadline == TimePoint::max())
      ended_.wait(lock, is_over);
    else
      ended_.wait_until(lock, deadline, is_over);
    --sleepers_;
    return over();
  }

  std::size_t sleepers() const {
    const std::lock_guard lock(mutex_);
    return sleepers_;
  }

  // False: it is over already, and nobody will call.
  bool listen(Listener& listener) {
    const std::lock_guard lock(mutex_);
    if (over()) return false;
    listener.listening_ = true;
    listener.after_ = listeners_;
    if (listeners_ != nullptr) listeners_->before_ = &listener;
    listeners_ = &listener;
    return true;
  }
  void unlisten(Listener& listener) noexcept {
    const std::lock_guard lock(mutex_);
    unlink(listener);
  }

 private:
  void end(Phase phase) noexcept {
    bool somebody_sleeps = false;
    {
      const std::lock_guard lock(mutex_);
      phase_.store(phase, std::memory_order_release);
      somebody_sleeps = sleepers_ > 0;
      while (listeners_ != nullptr) {
        Listener& told = *listeners_;
        unlink(told);
        told.ended();
      }
    }
    if (somebody_sleeps) ended_.notify_all();
  }
  void unlink(Listener& listener) noexcept {
    if (!std::exchange(listener.listening_, false)) return;
    (listener.before_ == nullptr ? listeners_ : listener.before_->after_) = listener.after_;
    if (listener.after_ != nullptr) listener.after_->before_ = listener.before_;
    listener.before_ = listener.after_ = nullptr;
  }

  std::atomic<Phase> phase_{
      Phase::flying};                 // stored last: whoever sees an end sees what it brought
  std::atomic<bool> claimed_{false};  // by the one who writes value_ or failure_
  std::optional<Value> value_;
  std::exception_ptr failure_;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t sleepers_ = 0;       // guarded by mutex_
  Listener* listeners_ = nullptr;  // guarded by mutex_
};

template <class Value, class F>
FlightOutcome<Value> landed_outcome(std::shared_ptr<F> flight, bool shared) {
  const Value* const value = &flight->value();
  return {std::shared_ptr<const Value>(std::move(flight), value), shared};
}

// What one caller takes home; `still_flying` if the flight goes on without it. Throws what fn
// threw.
template <class F, class Value = typename F::ValueType>
FlightOutcome<Value> outcome_of(std::shared_ptr<F> flight, bool shared, FlightError still_flying) {
  using Phase = typename Flight<Value>::Phase;
  switch (flight->phase()) {
    case Phase::landed:
      return landed_outcome<Value>(std::move(flight), shared);
    case Phase::failed:
      std::rethrow_exception(flight->failure());
    case Phase::abandoned:
      return {FlightError::abandoned, shared};
    case Phase::flying:
      break;
  }
  return {still_flying, shared};
}

}  // namespace tanggul::flight
