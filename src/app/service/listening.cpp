#include "app/service/listening.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/bytes.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

Address split(const std::string& address) {  // the configuration has made sure of its form
  const auto colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  return {host, static_cast<std::uint16_t>(*parse_decimal(address.substr(colon + 1)))};
}

}  // namespace

beast::ServerConfig server_config(const Config& config, const std::string& address,
                                  std::size_t connections) {
  beast::ServerConfig c;
  const Address at = split(address);
  c.address = at.host;
  c.port = at.port;
  c.header = config.client.header;
  c.idle = config.client.idle;
  c.stall = config.client.stall;
  c.serve_half_closed = config.client.half_close == HalfClose::serve;
  c.connections = connections;
  c.limits.body = config.shield.once_max_object;
  for (const auto& origin : config.shield.origins)
    c.limits.body = std::max(c.limits.body, origin.max_body);
  if (auto trusted = beast::TrustedProxies::parse(config.trusted_proxies))
    c.trusted = std::move(*trusted);
  return c;
}

beast::LogFormat log_format(AccessLog log) {
  switch (log) {
    case AccessLog::text:
      return beast::LogFormat::text;
    case AccessLog::json:
      return beast::LogFormat::json;
    case AccessLog::off:
      return beast::LogFormat::off;
  }
  return beast::LogFormat::text;
}

std::string scheme(const Config& config) {
  return config.tls.cert.empty() ? "http://" : "https://";
}

std::string own_url(const Config& config) {
  const Address at = split(config.listen);
  if (at.host != "0.0.0.0" && at.host != "::") return scheme(config) + config.listen;
  char name[256] = "localhost";
  ::gethostname(name, sizeof name - 1);
  return scheme(config) + std::string(name) + ":" + std::to_string(at.port);
}

std::string host_of(const std::string& address) { return split(address).host; }

bool is_loopback(const std::string& address) {
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(split(address).host, error);
  return !error && ip.is_loopback();
}

bool taken(const std::string& address, std::string& error) {
  const Address at = split(address);
  boost::system::error_code ec;
  const auto ip = asio::ip::make_address(at.host, ec);
  if (ec) {
    error = "the host must be an IP address or localhost";
    return true;
  }
  asio::io_context io;
  asio::ip::tcp::acceptor probe(io);
  const asio::ip::tcp::endpoint endpoint(ip, at.port);
  probe.open(endpoint.protocol(), ec);
  if (!ec) probe.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec) probe.bind(endpoint, ec);
  if (!ec) probe.listen(1, ec);
  error = ec.message();
  return ec.failed();
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t file_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : 1024;
}

}  // namespace tanggul::app
