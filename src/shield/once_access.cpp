#include "shield/once_access.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::shield {
namespace {

bool loopback_address(std::string_view client) {
  return client.starts_with("127.") || client == "::1" || client.starts_with("::ffff:127.");
}

// A page that has its own name point to us sends that name.
bool loopback_name(std::string_view authority) {
  const bool six = authority.starts_with('[');
  const auto host = authority.substr(0, six ? authority.find(']') + 1 : authority.find(':'));
  return iequals(host, "localhost") || host == "[::1]" ||
         (host.starts_with("127.") &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace

bool OnceAccess::admits(const ports::Call& call) const {
  static constexpr std::string_view kNotOurs[] = {"origin", "sec-fetch-site", "forwarded",
                                                  "x-forwarded-for", "via"};
  if (loopback_address(call.client) && loopback_name(call.authority) &&
      std::none_of(std::begin(kNotOurs), std::end(kNotOurs),
                   [&](std::string_view name) { return call.head.has(name); }))
    return true;
  constexpr std::string_view kScheme = "bearer ";  // in any case (RFC 9110 11.1)
  const auto given = call.head.find("authorization").value_or("");
  return has_token() && iequals(given.substr(0, kScheme.size()), kScheme) &&
         equal_secrets(given.substr(kScheme.size()), token_);
}

}  // namespace tanggul::shield
