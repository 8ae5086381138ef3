#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace tanggul::test {

// What coroutines of one thread wait for until it is given. A wait that is cancelled throws, as
// Asio's operations do.
class Signal {
 public:
  explicit Signal(boost::asio::io_context& io) : timer_(io) {
    timer_.expires_at(boost::asio::steady_timer::time_point::max());
  }
  void give() {
    given_ = true;
    timer_.cancel();
  }
  boost::asio::awaitable<void> wait() {
    if (given_) co_return;
    const auto [ec] = co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (!given_) throw boost::system::system_error(ec);
  }

 private:
  boost::asio::steady_timer timer_;
  bool given_ = false;
};

}  // namespace tanggul::test
