#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tanggul/base/clock.h"

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
  // How long ago by our clock a header was signed, negative where the other clock is ahead;
  // nullopt: not with this secret, or not for this request.
  std::optional<Duration> age(std::string_view header, std::string_view method,
                              std::string_view target, WallTime now) const;
  static bool good(Duration age) { return age <= kGoodFor + 1s && age >= -kGoodFor; }

 private:
  std::string mac(std::string_view method, std::string_view target, std::string_view time) const;

  const std::string secret_;
};

}  // namespace tanggul::shield
