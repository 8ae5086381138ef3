#include "tanggul/policy/serve.h"

#include <algorithm>

#include "http/delta_seconds.h"
#include "tanggul/policy/xfetch.h"

namespace tanggul::policy {
namespace {

// seconds::max() means any number, and does not fit into nanoseconds.
Duration span(std::chrono::seconds s) { return std::min(s, http::kLongest); }

bool tolerated(const StoredTimes& stored, const http::CacheControl& request, Duration staleness) {
  if (!request.max_stale || stored.must_revalidate || stored.no_cache) return false;
  return *request.max_stale == std::chrono::seconds::max() || staleness <= span(*request.max_stale);
}

bool asks_for_fresher(const StoredTimes& stored, const http::CacheControl& request, WallTime now) {
  if (request.no_cache || request.invalid_age) return true;
  if (request.max_age &&
      (request.max_age->count() == 0 || age(stored, now) > span(*request.max_age)))
    return true;
  return request.min_fresh && stored.expires - now < span(*request.min_fresh);
}

}  // namespace

Duration age(const StoredTimes& stored, WallTime now) {
  return std::max<Duration>(now - stored.birth, Duration::zero());
}

Serve decide(const StoredTimes& stored, const http::CacheControl& request, double beta,
             WallTime now, Rng& rng) {
  if (stored.no_cache || asks_for_fresher(stored, request, now)) return Serve::revalidate;
  if (now < stored.expires) {
    const bool early = refresh_early(now, stored.expires, stored.cost, beta, rng);
    return early ? Serve::fresh_refresh : Serve::fresh;
  }
  const Duration staleness = now - stored.expires;
  if (tolerated(stored, request, staleness)) return Serve::stale_refresh;
  // A client that names a max-age and no max-stale wishes for nothing stale (RFC 9111 5.2.1.1).
  const bool wants_fresh = request.max_age || request.max_stale;
  const bool within = staleness < stored.stale_while_revalidate;
  return within && !wants_fresh ? Serve::stale_refresh : Serve::revalidate;
}

bool stale_if_error_allowed(const StoredTimes& stored, const http::CacheControl& request,
                            WallTime now) {
  const bool bound = stored.no_cache || stored.must_revalidate;
  // Under no-cache nothing counts as fresh, only the origin's own stale-if-error can allow it.
  if (now < stored.expires) return !stored.no_cache || stored.stale_if_error > Duration::zero();
  const Duration staleness = now - stored.expires;
  if (tolerated(stored, request, staleness)) return true;
  Duration window = stored.stale_if_error;
  if (request.stale_if_error) {
    const Duration asked = span(*request.stale_if_error);
    window = bound ? std::min(window, asked) : asked;
  }
  return staleness < window;
}

}  // namespace tanggul::policy
