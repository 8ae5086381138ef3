#include "http/prefer.h"

#include "base/bytes.h"
#include "http/delta_seconds.h"

namespace tanggul::http {

std::optional<std::chrono::seconds> prefer_wait(const RequestHead& request) {
  if (!request.has("prefer")) return std::nullopt;
  const std::string joined = request.joined("prefer");
  for (const auto member : list_members(joined)) {
    // What follows a semicolon are parameters of this preference, not preferences.
    const auto preference = member.substr(0, member.find(';'));
    const auto equals = preference.find('=');
    if (!iequals(trim(preference.substr(0, equals)), "wait")) continue;
    if (equals == std::string_view::npos) return std::nullopt;
    return parse_delta_seconds(unquoted(trim(preference.substr(equals + 1))));
  }
  return std::nullopt;
}

}  // namespace tanggul::http
