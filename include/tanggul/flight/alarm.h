#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/wait_traits.hpp>
#include <mutex>
#include <utility>

#include "tanggul/flight/flight.h"

namespace tanggul::flight {

// One coroutine's place to wait: a timer that any thread may end early, once. Its executor may run
// on several threads: the mutex is what Asio's timers, which are not thread-safe, lack.
template <class AlarmClock, class Executor>
class Alarm : public Listener {
 public:
  using TimePoint = typename AlarmClock::time_point;

  explicit Alarm(const Executor& executor) : timer_(executor) {}
  virtual ~Alarm() = default;

  // Ends a wait that runs, and at once any that begins later.
  void ring() noexcept {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    timer_.cancel();
  }
  void ended() noexcept final { ring(); }

  // Completes at the time, after ring(), or when the operation is cancelled, with Asio's usual
  // error_code; to be asked again as long as its reason is not there.
  template <class Token>
  auto async_wait_until(TimePoint time, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](auto handler, TimePoint until) {
          const std::lock_guard lock(mutex_);
          timer_.expires_at(rung_ ? TimePoint() : until);
          timer_.async_wait(std::move(handler));
        },
        token, time);
  }

 private:
  std::mutex mutex_;
  bool rung_ = false;  // guarded by mutex_, as each use of the timer is
  boost::asio::basic_waitable_timer<AlarmClock, boost::asio::wait_traits<AlarmClock>, Executor>
      timer_;
};

}  // namespace tanggul::flight
