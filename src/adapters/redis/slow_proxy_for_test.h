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
// after `late`, which may change. To be closed before the loop ends; what it has accepted outlives
// it.
class SlowProxy {
 public:
  SlowProxy(boost::asio::io_context& io, std::uint16_t to, Duration late)
      : late_(std::make_shared<Duration>(late)),
        to_(to),
        acceptor_(io.get_executor(), {loopback(), 0}) {
    async::spawn(io.get_executor(), "proxy", accept(*this));
  }
  std::string url() const {
    return "redis://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  void set_late(Duration late) { *late_ = late; }
  void close() { acceptor_.close(); }

 private:
  using Socket = std::shared_ptr<test::Socket>;
  static boost::asio::ip::address loopback() { return boost::asio::ip::address_v4::loopback(); }

  static Task<void> accept(SlowProxy& self) {
    for (;;) {
      auto [ec, socket] =
          co_await self.acceptor_.async_accept(boost::asio::as_tuple(async::use_task));
      if (ec) co_return;
      const auto client = std::make_shared<test::Socket>(std::move(socket));
      const auto server = std::make_shared<test::Socket>(client->get_executor());
      boost::system::error_code refused;
      server->connect({loopback(), self.to_}, refused);
      if (refused) continue;
      async::spawn(client->get_executor(), "asks", pass(nullptr, client, server));
      async::spawn(client->get_executor(), "answers", pass(self.late_, server, client));
    }
  }
  // `late`: of answers.
  static Task<void> pass(std::shared_ptr<const Duration> late, Socket from, Socket to) {
    std::string bytes(64 * 1024, '\0');
    async::Timer timer(from->get_executor());
    for (;;) {
      auto [ec, n] = co_await from->async_read_some(boost::asio::buffer(bytes),
                                                    boost::asio::as_tuple(async::use_task));
      if (ec) break;
      if (late && *late > Duration::zero()) {
        timer.expires_after(*late);
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

  const std::shared_ptr<Duration> late_;
  const std::uint16_t to_;
  boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, async::Executor> acceptor_;
};

}  // namespace tanggul::redis
