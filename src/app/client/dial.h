#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>

#include "app/config/url.h"

namespace tanggul::app {

// Connects to the server of a URL, over TLS that is verified where the scheme is https, and waits
// for what `use` makes of the stream. Throws boost::system::system_error.
template <class Use>
boost::asio::awaitable<void> dial(Url url, Use use) {
  namespace asio = boost::asio;
  const auto executor = co_await asio::this_coro::executor;
  std::string host = url.host;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  asio::ip::tcp::resolver resolver(executor);
  const auto endpoints =
      co_await resolver.async_resolve(host, std::to_string(url.port), asio::use_awaitable);
  if (url.scheme == "http") {
    asio::ip::tcp::socket socket(executor);
    co_await asio::async_connect(socket, endpoints, asio::use_awaitable);
    co_await use(socket);
    co_return;
  }
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.set_default_verify_paths();
  asio::ssl::stream<asio::ip::tcp::socket> stream(executor, tls);
  stream.set_verify_mode(asio::ssl::verify_peer);
  stream.set_verify_callback(asio::ssl::host_name_verification(host));
  SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
  co_await asio::async_connect(stream.lowest_layer(), endpoints, asio::use_awaitable);
  co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
  co_await use(stream);
}

}  // namespace tanggul::app
