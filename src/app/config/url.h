#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/units.h"

namespace tanggul::app {

// An absolute http or https URL without query or fragment, normalised: scheme and host in lower
// case, no default port, no slash at the path's end.
struct Url {
  std::string scheme, host;  // an IPv6 address keeps its brackets
  std::uint16_t port = 0;
  std::string path;           // raw; empty or begins with '/'
  std::string authorization;  // Basic, of the userinfo; empty: it has none

  std::string base() const;  // scheme://host[:port]
  std::string text() const { return base() + path; }
};

Read<Url> read_url(std::string_view text);

// With the userinfo of every URL in it replaced by ***, for logs and messages.
std::string mask_userinfo(std::string_view text);
inline constexpr std::string_view kMaskedUserinfo = "***:***";

struct HostPort {
  std::string host;  // in lower case; an IPv6 address keeps its brackets
  std::uint16_t port = 0;

  bool loopback() const;
  bool wildcard() const;
};

Read<HostPort> read_host_port(std::string_view text);

// Whether a request to `url` would arrive at this listener, as far as names tell.
bool reaches(const Url& url, const HostPort& listener);

// Where requests come back to us.
struct OwnAddresses {
  HostPort listen, admin;
  std::optional<Url> public_url;

  // The configuration key whose address `url` is; empty: it is not ours.
  std::string_view key_of(const Url& url) const;
};

}  // namespace tanggul::app
