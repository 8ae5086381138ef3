#pragma once

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"
#include "tanggul/http/cache_control.h"

namespace tanggul::policy {

enum class Serve {
  fresh,
  fresh_refresh,  // serve it, refresh in the background by chance (XFetch)
  stale_refresh,  // serve it though stale, refresh in the background
  revalidate,     // ask the origin first
  miss,           // nothing is stored: never decide()'s answer
};

struct StoredTimes {
  WallTime stored_at;  // when its response came
  WallTime birth;      // that, less the age it came with
  WallTime expires;
  Duration stale_while_revalidate{}, stale_if_error{};
  bool no_cache = false, must_revalidate = false;
  Duration cost{};  // what its fetch took
};

// How a stored response answers a request that says `request` in its Cache-Control (RFC 9111 4.2.4
// and 5.2.1, RFC 5861 3). A client may ask for fresher than the rule and, unless the origin forbids
// it, for staler. no-store and only-if-cached are not about time: they stay with the caller.
Serve decide(const StoredTimes& stored, const http::CacheControl& request, double beta,
             WallTime now, Rng& rng);

// Whether it may stand in for an origin that fails (RFC 5861 4). A client may narrow the window,
// and widen it or name a max-stale where neither no-cache nor must-revalidate forbids.
bool stale_if_error_allowed(const StoredTimes& stored, const http::CacheControl& request,
                            WallTime now);

// Its Age (RFC 9111 4.2.3), never negative.
Duration age(const StoredTimes& stored, WallTime now);

}  // namespace tanggul::policy
