#include "tanggul/policy/negative.h"

#include <algorithm>

#include "http/retry_after.h"
#include "http/vary.h"
#include "tanggul/http/cache_control.h"
#include "tanggul/policy/freshness.h"

namespace tanggul::policy {
namespace {

Duration ours(Duration ttl, const NegativeConfig& config, Duration most, Rng& rng) {
  if (ttl <= Duration::zero()) return Duration::zero();
  return std::min(ttl + lifetime_jitter(ttl, config.jitter, rng), most);
}

// The RFC's reasons not to keep a response for others, for a 404 that is nobody's registry's.
bool kept_from_others(const http::Headers& headers, const http::CacheControl& cc) {
  if (cc.no_store || is_private(headers, cc) || is_no_cache(headers, cc)) return true;
  return headers.has("vary") && http::vary_names(headers) == std::vector<std::string>{"*"};
}

// What the origin still grants on arrival: a cache before us may have used up a part.
Duration remaining(const http::Headers& headers, Duration named) {
  return std::max<Duration>(named - age_field(headers), Duration::zero());
}

}  // namespace

Duration not_found_ttl(const http::Headers& headers, const NegativeConfig& config, bool registry,
                       WallTime now, Rng& rng) {
  const auto cc = http::parse_cache_control(headers.joined("cache-control"));
  if (!registry && kept_from_others(headers, cc)) return Duration::zero();
  const auto named = explicit_lifetime(headers, cc, now);
  const Duration granted = named ? remaining(headers, *named) : Duration::zero();
  if (granted > Duration::zero()) {
    const Duration kept = std::min(granted, kLongestFailure);
    return kept - lifetime_jitter(kept, config.jitter, rng);  // never past the origin's own
  }
  if (named && !registry) return Duration::zero();
  if (!registry && headers.has("set-cookie")) return Duration::zero();
  const bool longer = config.not_found > kLongestFailure;
  return ours(config.not_found, config, longer ? Duration::max() : kLongestFailure, rng);
}

Duration server_error_ttl(const http::Headers& headers, const NegativeConfig& config, WallTime now,
                          Rng& rng) {
  if (config.server_error <= Duration::zero()) return Duration::zero();
  const auto cc = http::parse_cache_control(headers.joined("cache-control"));
  const Duration lifetime =
      remaining(headers, explicit_lifetime(headers, cc, now).value_or(Duration::zero()));
  const Duration pause = http::parse_retry_after(headers.find("retry-after").value_or(""), now)
                             .value_or(Duration::zero());
  Duration ttl = config.server_error;
  if (lifetime > Duration::zero() && pause > Duration::zero())
    ttl = std::min(lifetime, pause);
  else if (lifetime > Duration::zero() || pause > Duration::zero())
    ttl = std::max(lifetime, pause);
  return ours(std::min(ttl, kLongestFailure), config, kLongestFailure, rng);
}

Duration unreachable_ttl(const NegativeConfig& config, Rng& rng) {
  return ours(std::min(config.unreachable, kLongestFailure), config, kLongestFailure, rng);
}

Duration retry_after(Duration remaining, Rng& rng) {
  remaining = std::max(remaining, Duration::zero());
  return remaining + rng.upto(std::max<Duration>(2s, remaining / 5));
}

}  // namespace tanggul::policy
