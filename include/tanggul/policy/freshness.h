#pragma once

#include <optional>

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"
#include "tanggul/http/cache_control.h"
#include "tanggul/http/message.h"

namespace tanggul::policy {

struct FreshnessConfig {
  Duration ttl = 24h;           // of what the kind knows to be immutable; 0: the RFC's heuristics
  Duration metadata_ttl = 60s;  // of everything else; 0: the same
  Duration ttl_jitter = 30s;    // at most 10 % of the lifetime
  Duration stale_while_revalidate = 10s;
  Duration stale_if_error = 24h;
  // An Age that is not one number is older than any lifetime, and not ignored (RFC 9111 5.1).
  bool distrust_unclear_age = false;
  bool override_origin = false;  // our numbers win over the origin's freshness directives
};

enum class ResourceClass { immutable, metadata, generic };

struct ResponseContext {
  ResourceClass resource = ResourceClass::generic;
  bool registry = false;           // a registry kind: Set-Cookie is dropped, a 404 is remembered
  bool had_authorization = false;  // the fetch carried a credential that is not in the key
  bool method_get = true;
};

struct Lifetime {
  bool storable = false;
  // May followers of one flight receive it. Failures always may: what they get is our answer.
  bool shareable = true;
  Duration fresh_for{};    // counted from birth, initial_age before the response came
  Duration initial_age{};  // RFC 9111 4.2.3
  Duration stale_while_revalidate{};
  Duration stale_if_error{};
  bool must_revalidate = false;     // proxy-revalidate and s-maxage mean it too
  bool no_cache = false;            // stored, yet never served unasked
  bool from_origin = false;         // fresh_for is the lifetime that the origin named
  bool explicit_freshness = false;  // the origin named one, valid or not
};

// What a response may be used for and how long, by RFC 9111 and RFC 5861 for a shared cache, with
// our own lifetimes where the origin names none. The jitter lengthens a lifetime of ours and
// shortens one of the origin's, so that nothing is fresh past what the origin said (RFC 9111 4.2).
//
// How long a 404, 410 or 5xx is remembered that names no lifetime is negative.h's decision.
Lifetime judge(int status, const http::Headers& headers, const ResponseContext& context,
               const FreshnessConfig& config, WallTime request_time, WallTime response_time,
               Rng& rng);

// The longest that a failure is kept, whoever says so: longer would block recovery.
inline constexpr Duration kLongestFailure = 60s;

// s-maxage, else max-age, else Expires − Date (RFC 9111 4.2.1); 0 where one is there but invalid;
// nullopt where none is.
std::optional<Duration> explicit_lifetime(const http::Headers& headers,
                                          const http::CacheControl& cc, WallTime response_time);

// The first Age (RFC 9111 5.1); 0 where none or no number.
Duration age_field(const http::Headers& headers);

// Whether a directive, or the qualified form of it naming a field that this response has, asks to
// keep the response from others, or from use without revalidation (RFC 9111 5.2.2.4, 5.2.2.7).
bool is_private(const http::Headers& headers, const http::CacheControl& cc);
bool is_no_cache(const http::Headers& headers, const http::CacheControl& cc);

// U(0, min(most, 10 % of the lifetime)).
Duration lifetime_jitter(Duration lifetime, Duration most, Rng& rng);

}  // namespace tanggul::policy
