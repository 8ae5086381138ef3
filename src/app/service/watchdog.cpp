#include "app/service/watchdog.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <memory>

#include "async/spawn.h"
#include "async/waiter.h"

namespace tanggul::app {
namespace {

// `notify` outlives the loops, and with them this.
Task<void> watch(const ServiceNotify& notify, std::vector<async::Executor> loops) {
  const async::WaiterPtr waiter = async::Waiter::make(loops.front());
  const auto silent = std::make_shared<std::atomic<std::size_t>>(0);
  for (;;) {
    silent->store(loops.size());
    for (const auto& loop : loops) boost::asio::post(loop, [silent] { silent->fetch_sub(1); });
    do {
      const MonoTime next = MonoClock::now() + notify.watchdog() / 3;
      while (MonoClock::now() < next) co_await waiter->wait_until(next);
    } while (silent->load() != 0);
    notify.ping();
  }
}

}  // namespace

void watch_loops(const ServiceNotify& notify, std::vector<async::Executor> loops) {
  if (notify.watchdog() > Duration{} && !loops.empty())
    async::spawn(loops.front(), "watchdog", watch(notify, loops));
}

}  // namespace tanggul::app
