#include "http/retry_after.h"

#include <algorithm>

#include "base/bytes.h"
#include "http/date.h"
#include "http/delta_seconds.h"

namespace tanggul::http {

std::optional<Duration> parse_retry_after(std::string_view value, WallTime now) {
  constexpr Duration kMost = 24h;
  value = trim(value);
  if (const auto wait = parse_delta_seconds(value)) return std::min<Duration>(*wait, kMost);
  if (value.starts_with('-') && parse_delta_seconds(value.substr(1))) return Duration::zero();
  if (const auto date = parse_date(value, now))
    return std::clamp<Duration>(*date - now, Duration::zero(), kMost);
  return std::nullopt;
}

}  // namespace tanggul::http
