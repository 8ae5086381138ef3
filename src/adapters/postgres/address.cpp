#include "adapters/postgres/address.h"

#include <libpq-fe.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>

namespace tanggul::postgres {
namespace {

namespace asio = boost::asio;

std::string setting(const Settings& settings, std::string_view key) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.first == key; });
  return found == settings.end() ? std::string() : found->second;
}

Settings parsed(const std::string& address, std::string& wrong) {
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(address.c_str(), &error), &PQconninfoFree);
  Settings out;
  if (!options) {
    wrong = error == nullptr ? "out of memory" : "the address is none that libpq takes";
    PQfreemem(error);
    return out;
  }
  for (const PQconninfoOption* o = options.get(); o->keyword != nullptr; ++o)
    if (o->val != nullptr) out.emplace_back(o->keyword, o->val);
  return out;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool is_name(const std::string& host) {
  boost::system::error_code error;
  asio::ip::make_address(host, error);
  return error && !host.empty() && host.front() != '/' && host.front() != '@';
}

}  // namespace

// "a,b" with their ports becomes "a,a,b" with each of their addresses: libpq tries them in order.
Task<Settings> resolved(std::string address, std::string& wrong) {
  Settings settings = parsed(address, wrong);
  if (!wrong.empty()) co_return settings;
  const auto otherwise = [&](std::string_view key, std::string_view value) {
    if (setting(settings, key).empty()) settings.emplace_back(key, value);
  };
  otherwise("client_encoding", "UTF8");
  otherwise("fallback_application_name", "tanggul");
  // A server that is gone without a word is noticed within a minute.
  otherwise("keepalives_idle", "30");
  otherwise("keepalives_interval", "10");
  otherwise("keepalives_count", "3");
  const std::vector<std::string> hosts = split(setting(settings, "host"));
  const bool names = std::any_of(hosts.begin(), hosts.end(), is_name);
  if (!names || !setting(settings, "hostaddr").empty()) co_return settings;
  const std::vector<std::string> ports = split(setting(settings, "port"));
  std::string all_hosts, all_addresses, all_ports;
  const auto add = [](std::string& list, const std::string& one) {
    list.append(list.empty() ? "" : ",").append(one);
  };
  asio::ip::basic_resolver<asio::ip::tcp, async::Executor> resolver(
      co_await asio::this_coro::executor);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    std::string port = ports.size() == 1 ? ports[0] : i < ports.size() ? ports[i] : "";
    if (port.empty()) port = "5432";
    if (!is_name(hosts[i])) {
      // A socket's directory has no address; beside names it cannot be told to libpq.
      if (hosts[i].starts_with('/') || hosts[i].starts_with('@')) {
        wrong = "a socket's directory stands beside host names";
        co_return settings;
      }
      add(all_hosts, hosts[i]);
      add(all_addresses, hosts[i]);
      add(all_ports, port);
      continue;
    }
    const auto [error, found] =
        co_await resolver.async_resolve(hosts[i], port, asio::as_tuple(async::use_task));
    for (const auto& endpoint : found) {
      add(all_hosts, hosts[i]);
      add(all_addresses, endpoint.endpoint().address().to_string());
      add(all_ports, port);
    }
  }
  if (all_addresses.empty()) {
    wrong = "the host's name leads nowhere";
    co_return settings;
  }
  std::erase_if(settings, [](const auto& s) { return s.first == "host" || s.first == "port"; });
  settings.emplace_back("host", all_hosts);
  settings.emplace_back("hostaddr", all_addresses);
  settings.emplace_back("port", all_ports);
  co_return settings;
}

}  // namespace tanggul::postgres
