#include <algorithm>

#include "adapters/redis/redis_cluster.h"

namespace tanggul::redis {
namespace {

constexpr std::size_t kMostSentinels = 32;
constexpr std::string_view kForm = "redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]";
constexpr std::string_view kSentinelForm =
    "redis-sentinel://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/MASTER[/DATABASE]";

// No message repeats what it found: there may be a password in it.
struct Wrong {
  std::string why;
};

std::string decoded(std::string_view text) {
  auto out = from_percent(text);
  if (!out) throw Wrong{"a % in it is not followed by two hex digits"};
  return std::move(*out);
}

std::string_view take_until(std::string_view& rest, char end) {
  const std::size_t at = std::min(rest.find(end), rest.size());
  const std::string_view out = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return out;
}

RedisAddress::Host host_of(std::string_view text, std::string_view default_port) {
  std::string_view name, port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) throw Wrong{"an IPv6 address lacks its ]"};
    name = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) throw Wrong{"after an IPv6 address comes :PORT"};
    if (name.find(':') == name.npos) throw Wrong{"between [ and ] stands an IPv6 address"};
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    name = text.substr(0, colon);
    port = text.substr(colon);
    if (port.find(':', 1) != port.npos) throw Wrong{"an IPv6 address stands between [ and ]"};
  }
  if (name.empty()) throw Wrong{"a host is missing"};
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), bad)) throw Wrong{"a host has blanks in it"};
  port.remove_prefix(port.empty() ? 0 : 1);
  if (port.empty()) port = default_port;
  const auto number = parse_decimal(port);
  if (!number || *number < 1 || *number > 65535) throw Wrong{"a port is a number up to 65535"};
  return {std::string(name), std::to_string(*number)};
}

int database_of(std::string_view text) {
  if (text.empty()) return 0;
  const auto number = parse_decimal(text);
  if (!number || *number > 1'000'000) throw Wrong{"the database is a number"};
  return static_cast<int>(*number);
}

void take_login(std::string_view& rest, RedisAddress& address) {
  // The last @ before the path: one in a password should be %40, but is often not.
  const std::size_t at = rest.substr(0, rest.find('/')).rfind('@');
  if (at == rest.npos) return;
  std::string_view login = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  const bool has_password = login.find(':') != login.npos;
  address.user = decoded(take_until(login, ':'));
  address.password = decoded(login);
  if (!has_password || address.password.empty())
    throw Wrong{"a user needs a password: USER:PASSWORD@, or :PASSWORD@ for the default user"};
}

RedisAddress parsed(std::string_view url) {
  RedisAddress address;
  const auto scheme_end = url.find("://");
  if (scheme_end == url.npos) throw Wrong{"it has no scheme"};
  const std::string scheme = to_lower(url.substr(0, scheme_end));
  if (scheme == "rediss" || scheme == "rediss-sentinel")
    throw Wrong{
        "TLS to Redis is not spoken here: run stunnel on this host (accept on a port of "
        "127.0.0.1, connect to the server) and name that port, redis://127.0.0.1:PORT"};
  const bool sentinel = scheme == "redis-sentinel";
  if (!sentinel && scheme != "redis") throw Wrong{"its scheme is unknown"};
  std::string_view rest = url.substr(scheme_end + 3);
  take_login(rest, address);
  if (rest.find_first_of("?#") != rest.npos) throw Wrong{"it has a query or a fragment"};
  std::string_view hosts = take_until(rest, '/');
  if (sentinel) {
    if (hosts.ends_with(',')) throw Wrong{"a host is missing"};
    do {
      address.hosts.push_back(host_of(take_until(hosts, ','), "26379"));
    } while (!hosts.empty() && address.hosts.size() < kMostSentinels);
    address.master = decoded(take_until(rest, '/'));
    if (address.master.empty()) throw Wrong{"the name of the master is missing"};
  } else {
    if (hosts.find(',') != hosts.npos) throw Wrong{"of several hosts only redis-sentinel:// knows"};
    address.hosts.push_back(host_of(hosts, "6379"));
  }
  address.database = database_of(rest);
  return address;
}

}  // namespace

std::optional<RedisAddress> RedisAddress::parse(std::string_view url, std::string& error) {
  try {
    return parsed(url);
  } catch (const Wrong& wrong) {
    error = wrong.why;
    if (wrong.why.find("stunnel") == std::string::npos)
      error += "; it looks like " + std::string(kForm) + " or " + std::string(kSentinelForm);
    return std::nullopt;
  }
}

}  // namespace tanggul::redis
