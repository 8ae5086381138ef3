#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <memory>

#include "async/spawn.h"
#include "async/timer.h"
#include "support/wire.h"

namespace tanggul::redis {

// Stands before a server on the test's loop: hands on at once what is asked, and each answer only
// after `late`, which may change. Takes nobody in any more once it has ended; who is in stays.
class SlowProxy {
 public:
  SlowProxy(boost::asio::io_context& io, std::uint16_t to, Duration late)
      : state_(std::make_shared<State>(io, to, late)) {
    async::spawn(io.get_executor(), "proxy", accept(state_));
  }
  ~SlowProxy() { close(); }
  SlowProxy(const SlowProxy&) = delete;
  SlowProxy& operator=(const SlowProxy&) = delete;

  std::string url() const {
    return "redis://127.0.0.1:" + std::to_string(state_->acceptor.local_endpoint().port());
  }
  void set_late(Duration late) { state_->late = late; }
  void close() { state_->acceptor.close(); }

 private:
  using Socket = std::shared_ptr<test::Socket>;
  static boost::asio::ip::address loopback() { return boost::asio::ip::address_v4::loopback(); }

  // Its connections outlive it: the nodes say goodbye over them.
  struct State {
    State(boost::asio::io_context& io, std::uint16_t port, Duration by)
        : late(by), to(port), acceptor(io.get_executor(), {loopback(), 0}) {}
    Duration late;
    const std::uint16_t to;
    boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, async::Executor> acceptor;
  };
  using StatePtr = std::shared_ptr<State>;

  static Task<void> accept(StatePtr state) {
    for (;;) {
      auto [ec, socket] =
          co_await state->acceptor.async_accept(boost::asio::as_tuple(async::use_task));
      if (ec) co_return;
      const auto client = std::make_shared<test::Socket>(std::move(socket));
      const auto server = std::make_shared<test::Socket>(client->get_executor());
      boost::system::error_code refused;
      server->connect({loopback(), state->to}, refused);
      if (refused) continue;
      async::spawn(client->get_executor(), "asks", pass(state, client, server, false));
      async::spawn(client->get_executor(), "answers", pass(state, server, client, true));
    }
  }
  static Task<void> pass(StatePtr state, Socket from, Socket to, bool answers) {
    std::string bytes(64 * 1024, '\0');
    async::Timer timer(from->get_executor());
    for (;;) {
      auto [ec, n] = co_await from->async_read_some(boost::asio::buffer(bytes),
                                                    boost::asio::as_tuple(async::use_task));
      if (ec) break;
      if (answers && state->late > Duration::zero()) {
        timer.expires_after(state->late);
        co_await timer.async_wait(boost::asio::as_tuple(async::use_task));
      }
      auto [failed, sent] = co_await boost::asio::async_write(
          *to, boost::asio::buffer(bytes.data(), n), boost::asio::as_tuple(async::use_task));
      if (failed || sent < n) break;
    }
    boost::system::error_code ignored;
    to->close(ignored);
    from->close(ignored);
  }

  const StatePtr state_;
};

}  // namespace tanggul::redis
