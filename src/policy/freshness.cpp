#include "tanggul/policy/freshness.h"

#include <algorithm>

#include "base/bytes.h"
#include "http/date.h"
#include "http/delta_seconds.h"
#include "http/vary.h"
#include "tanggul/policy/status.h"

namespace tanggul::policy {
namespace {

// Everything that adds to a date is held here, so that no sum overflows.
constexpr Duration kLongest = http::kLongest;

bool is_failure(int status) { return is_not_found(status) || is_server_error(status); }

// One judgement: the inputs, and what several rules ask of them.
struct Case {
  int status;
  const http::Headers& headers;
  const ResponseContext& context;
  const FreshnessConfig& config;
  WallTime response_time;
  http::CacheControl cc;
  std::optional<Duration> named;  // by the origin

  bool registry_not_found() const { return context.registry && is_not_found(status); }
  bool overridden() const {
    return config.override_origin && own_ttl() > Duration::zero() &&
           is_heuristically_cacheable(status) && !is_server_error(status);
  }
  Duration own_ttl() const {
    const bool lasting = context.resource == ResourceClass::immutable && !is_not_found(status);
    return std::min(lasting ? config.ttl : config.metadata_ttl, kLongest);
  }
};

bool has_unclear_age(const http::Headers& headers) {
  return headers.has("age") && !http::parse_delta_seconds(headers.joined("age"));
}

Duration initial_age(const Case& c, WallTime request_time) {
  if (c.config.distrust_unclear_age && has_unclear_age(c.headers)) return kLongest;
  const auto date = http::parse_date(c.headers.joined("date"), c.response_time);
  // A date has no fraction of a second; what passes within one is in the delay.
  const Duration apparent =
      date ? std::chrono::floor<std::chrono::seconds>(c.response_time) - *date : Duration::zero();
  const Duration delay = std::max<Duration>(c.response_time - request_time, Duration::zero());
  return std::clamp(std::max(apparent, age_field(c.headers) + delay), Duration::zero(), kLongest);
}

// 10 % of the time since the last change, a day at most (RFC 9111 4.2.2).
Duration heuristic_lifetime(const Case& c) {
  const auto modified = http::parse_date(c.headers.joined("last-modified"), c.response_time);
  if (!modified) return Duration::zero();
  const auto date = http::parse_date(c.headers.joined("date"), c.response_time);
  return std::clamp<Duration>((date.value_or(c.response_time) - *modified) / 10, Duration::zero(),
                              24h);
}

void set_fresh_for(const Case& c, Lifetime& life, Rng& rng) {
  Duration lifetime{};
  bool ours = false;
  if (c.named && !c.overridden()) {
    lifetime = *c.named;
    life.from_origin = true;
  } else if (is_heuristically_cacheable(c.status)) {
    lifetime = c.own_ttl();
    ours = lifetime > Duration::zero();
    if (!ours) lifetime = heuristic_lifetime(c);
  } else if (c.cc.is_public) {
    lifetime = heuristic_lifetime(c);
  }
  const Duration most = is_failure(c.status) ? kLongestFailure : kLongest;
  const Duration jitter = lifetime_jitter(lifetime, c.config.ttl_jitter, rng);
  life.fresh_for = std::min(ours ? lifetime + jitter : lifetime - jitter, most);
  // What we grant begins when we receive it: neither a cache before us nor an origin's slow clock
  // uses it up.
  if (ours) life.fresh_for += life.initial_age;
}

Duration stale_window(std::optional<std::chrono::seconds> named, Duration ours, bool ours_applies,
                      bool ours_wins) {
  ours = std::min(ours, kLongest);
  if (ours_wins && ours > Duration::zero()) return ours;
  if (named) return *named;
  return ours_applies ? ours : Duration::zero();
}

void set_revalidation(const Case& c, Lifetime& life) {
  const bool overridden = c.overridden();
  life.no_cache = !overridden && is_no_cache(c.headers, c.cc);
  life.must_revalidate =
      !overridden && (c.cc.must_revalidate || c.cc.proxy_revalidate || c.cc.s_maxage);
  // A failure past its minute helps nobody, least of all while the origin fails otherwise.
  if (is_failure(c.status)) return;
  const bool defaults = !life.no_cache && !life.must_revalidate;
  life.stale_while_revalidate = stale_window(c.cc.stale_while_revalidate,
                                             c.config.stale_while_revalidate, defaults, overridden);
  life.stale_if_error =
      stale_window(c.cc.stale_if_error, c.config.stale_if_error, defaults, overridden);
}

// Whether another client may receive this response at all.
bool may_serve_others(const Case& c, const Lifetime& life) {
  const bool understood = is_understood(c.status);
  if (c.cc.must_understand && !understood) return false;
  if (c.cc.no_store && !c.cc.must_understand) return false;
  if (is_private(c.headers, c.cc)) return false;
  if (c.headers.has("vary") && http::vary_names(c.headers) == std::vector<std::string>{"*"})
    return false;
  // RFC 9111 3.5.
  if (c.context.had_authorization && !c.cc.is_public && !c.cc.must_revalidate && !c.cc.s_maxage)
    return false;
  // A cookie is somebody's session unless the origin says for how long it is everybody's.
  const bool named_fresh = c.named && *c.named > Duration::zero() && !life.no_cache;
  return !c.headers.has("set-cookie") || c.context.registry || named_fresh;
}

bool may_store(const Case& c) {
  if (!c.context.method_get || is_never_stored(c.status)) return false;
  const bool named_fresh = c.named && *c.named > Duration::zero();
  // Heuristics are for 501 and for what is marked public (RFC 9111 4.2.2).
  const bool heuristic = !c.named && (c.cc.is_public || is_heuristically_cacheable(c.status)) &&
                         heuristic_lifetime(c) > Duration::zero();
  if (is_server_error(c.status)) return named_fresh || heuristic;
  return c.named || c.cc.is_public || is_heuristically_cacheable(c.status);
}

}  // namespace

std::optional<Duration> explicit_lifetime(const http::Headers& headers,
                                          const http::CacheControl& cc, WallTime response_time) {
  if (cc.invalid_age) return Duration::zero();
  if (cc.s_maxage) return *cc.s_maxage;
  if (cc.max_age) return *cc.max_age;
  if (!headers.has("expires")) return std::nullopt;
  const auto expires = http::parse_date(headers.joined("expires"), response_time);
  if (!expires) return Duration::zero();
  const auto date = http::parse_date(headers.joined("date"), response_time);
  return std::clamp<Duration>(*expires - date.value_or(response_time), Duration::zero(), kLongest);
}

Duration age_field(const http::Headers& headers) {
  const std::string joined = headers.joined("age");
  const auto members = http::list_members(joined);
  if (members.empty()) return Duration::zero();
  // A parameter, which Age does not have, makes a response no younger.
  const auto number = trim(members.front().substr(0, members.front().find(';')));
  return http::parse_delta_seconds(number).value_or(std::chrono::seconds(0));
}

bool is_private(const http::Headers& headers, const http::CacheControl& cc) {
  return cc.is_private || std::ranges::any_of(cc.private_fields,
                                              [&](const auto& name) { return headers.has(name); });
}
bool is_no_cache(const http::Headers& headers, const http::CacheControl& cc) {
  return cc.no_cache || std::ranges::any_of(cc.no_cache_fields,
                                            [&](const auto& name) { return headers.has(name); });
}

Duration lifetime_jitter(Duration lifetime, Duration most, Rng& rng) {
  return rng.upto(std::min(most, lifetime / 10));
}

Lifetime judge(int status, const http::Headers& headers, const ResponseContext& context,
               const FreshnessConfig& config, WallTime request_time, WallTime response_time,
               Rng& rng) {
  Case c{status,      headers,       context,
         config,      response_time, http::parse_cache_control(headers.joined("cache-control")),
         std::nullopt};
  c.named = explicit_lifetime(headers, c.cc, response_time);

  Lifetime life;
  life.explicit_freshness = c.named.has_value();
  life.initial_age = initial_age(c, request_time);
  set_fresh_for(c, life, rng);
  set_revalidation(c, life);
  const bool others = may_serve_others(c, life);
  life.storable = others && may_store(c);
  life.shareable = others || is_shared_failure(status) || c.registry_not_found();
  return life;
}

}  // namespace tanggul::policy
