#include "adapters/postgres/address.h"

#include <libpq-fe.h>
#include <netdb.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <system_error>
#include <thread>

#include "async/timer.h"

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
    wrong = error == nullptr ? "out of memory" : "is no address that libpq takes";
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

struct Place {
  std::string host, port;
  std::vector<std::string> addresses;
};

// getaddrinfo() cannot be told to end, so it has a thread of its own, which touches nothing of ours
// but this.
struct Lookup {
  std::vector<Place> places;
  std::atomic<bool> done{false};
};
constexpr int kMostLookups = 8;
constexpr Duration kLookAgain = 2ms;
std::atomic<int> lookups_now{0};

void look_up(Place& place) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(place.host.c_str(), nullptr, &hints, &found) != 0) return;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    char text[NI_MAXHOST];
    if (::getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) ==
        0)
      place.addresses.emplace_back(text);
  }
  ::freeaddrinfo(found);
}

// True: it is done.
Task<bool> look_up_all(std::shared_ptr<Lookup> lookup, MonoTime until) {
  if (lookups_now.fetch_add(1) >= kMostLookups) {
    --lookups_now;
    co_return false;
  }
  try {
    std::thread([lookup] {
      for (Place& place : lookup->places)
        if (place.addresses.empty()) look_up(place);
      lookup->done = true;
      --lookups_now;
    }).detach();
  } catch (const std::system_error&) {
    --lookups_now;
    co_return false;
  }
  async::Timer timer(co_await asio::this_coro::executor);
  while (!lookup->done && MonoClock::now() < until) {
    timer.expires_after(kLookAgain);
    co_await timer.async_wait(asio::as_tuple(async::use_task));
  }
  co_return lookup->done.load();
}

void add(std::string& list, const std::string& one) {
  list.append(list.empty() ? "" : ",").append(one);
}

}  // namespace

std::string fault_of_address(const std::string& address) {
  std::string wrong;
  parsed(address, wrong);
  return wrong;
}

// "a,b" with their ports becomes "a,a,b" with each of their addresses: libpq tries them in order.
Task<Settings> resolved(std::string address, MonoTime until, std::string& wrong) {
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
  const auto lookup = std::make_shared<Lookup>();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string port = ports.size() == 1 ? ports[0] : i < ports.size() ? ports[i] : "";
    Place& place = lookup->places.emplace_back(Place{hosts[i], port.empty() ? "5432" : port, {}});
    // A socket's directory has no address; beside names it cannot be told to libpq.
    if (hosts[i].starts_with('/') || hosts[i].starts_with('@'))
      wrong = "a socket's directory stands beside host names";
    if (!is_name(hosts[i])) place.addresses.push_back(hosts[i]);
  }
  if (!wrong.empty()) co_return settings;
  const bool done = co_await look_up_all(lookup, until);
  std::string all_hosts, all_addresses, all_ports;
  for (std::size_t i = 0; done && i < lookup->places.size(); ++i)
    for (const std::string& one : lookup->places[i].addresses) {
      add(all_hosts, lookup->places[i].host);
      add(all_addresses, one);
      add(all_ports, lookup->places[i].port);
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
