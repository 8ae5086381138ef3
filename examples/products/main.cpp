// products [PORT [CONNECTION STRING]]: products of a PostgreSQL database over HTTP, on loopback.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "answer.h"
#include "database.h"
#include "session.h"

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

asio::awaitable<void> accept(tcp::acceptor& acceptor, Products& products) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), products), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const auto port = static_cast<unsigned short>(argc > 1 ? std::atoi(argv[1]) : 8090);
  asio::io_context io(1);
  Database database(io.get_executor(), argc > 2 ? argv[2] : "");

  tanggul::ReadThroughConfig config;   // five minutes, one query a product, three seconds for it
  config.concurrency.concurrency = 8;  // connections
  Products products(
      io.get_executor(),
      [&](std::string id, tanggul::MonoTime) { return database.product(std::move(id)); }, config);

  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), port));
  asio::co_spawn(io, accept(acceptor, products), asio::detached);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](auto, auto) { io.stop(); });
  std::cout << "listening on 127.0.0.1:" << acceptor.local_endpoint().port() << std::endl;
  io.run();
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
