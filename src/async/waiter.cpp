#include "async/waiter.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>

namespace tanggul::async {

WaiterPtr Waiter::make(Executor executor) {
  return WaiterPtr(new Waiter(executor));  // the constructor is private
}

Task<void> Waiter::wait_until(MonoTime deadline) {
  const WaiterPtr alive = shared_from_this();
  if (woken_.exchange(false) || closed()) co_return;
  timer_.expires_at(deadline);
  co_await timer_.async_wait(asio::as_tuple(use_task));
  woken_.store(false);
}

void Waiter::wake() noexcept {
  if (woken_.exchange(true)) return;
  // Posted, never run here: on this thread the wait has begun by the time it runs, and on another
  // only executor_ may touch the timer.
  asio::post(executor_, [self = shared_from_this()] { self->timer_.cancel(); });
}

}  // namespace tanggul::async
