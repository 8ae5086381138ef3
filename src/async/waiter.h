#pragma once

#include <atomic>
#include <memory>

#include "async/task.h"
#include "async/timer.h"
#include "tanggul/base/clock.h"

namespace tanggul::async {

// One coroutine's place to wait. wait_until() belongs to the coroutine's own thread; wake() may
// come from any thread and is never lost: one that arrives between two waits ends the next at once.
// A wait may also end early for no reason, so the caller checks its condition in a loop, as with a
// condition variable.
class Waiter : public std::enable_shared_from_this<Waiter> {
 public:
  static std::shared_ptr<Waiter> make(Executor executor);

  Task<void> wait_until(MonoTime deadline);
  void wake() noexcept;
  // Whoever the wait is for has left: from now on every wait ends at once. Any thread.
  void close() noexcept {
    closed_.store(true);
    wake();
  }
  bool closed() const noexcept { return closed_.load(); }
  Executor executor() const { return executor_; }

 private:
  explicit Waiter(Executor executor) : executor_(executor), timer_(executor) {}

  Executor executor_;
  Timer timer_;                     // touched on executor_ only
  std::atomic<bool> woken_{false};  // set by wake(), taken by wait_until()
  std::atomic<bool> closed_{false};
};

using WaiterPtr = std::shared_ptr<Waiter>;

}  // namespace tanggul::async
