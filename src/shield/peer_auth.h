#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace tanggul::shield {

// How the nodes of a cluster know each other: an HMAC with the secret that they share over method,
// target and time, which is good for half a minute. Immutable.
class PeerAuth {
 public:
  static constexpr std::string_view kHeader = "Tanggul-Auth";
  static constexpr Duration kGoodFor = 30s;  // in both directions: clocks differ

  explicit PeerAuth(std::string secret) : secret_(std::move(secret)) {}

  // The header's value: seconds since 1970, a space, 64 hex digits.
  std::string sign(std::string_view method, std::string_view target, WallTime now) const;
  bool fits(std::string_view header, std::string_view method, std::string_view target,
            WallTime now) const;

 private:
  std::string mac(std::string_view method, std::string_view target, std::string_view time) const;

  const std::string secret_;
};

}  // namespace tanggul::shield
