#pragma once

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"
#include "tanggul/http/message.h"

namespace tanggul::policy {

struct NegativeConfig {
  Duration not_found = 60s;
  Duration server_error = 20s;
  Duration unreachable = 30s;
  Duration jitter = 30s;  // at most 10 % of the lifetime
};

// How long a failure is remembered; 0: not at all. Never past 60 s, jitter included, unless
// `not_found` itself is longer: more would block recovery, much less lets the herd back.

// A 404 or 410. A lifetime that the origin names holds, up to 60 s. Without one, or where it is 0,
// a registry's absence is remembered for not_found, no-store and private or not; anything else by
// the RFC, whose heuristics not_found stands for.
Duration not_found_ttl(const http::Headers& headers, const NegativeConfig& config, bool registry,
                       WallTime now, Rng& rng);

// A 5xx. A lifetime or a Retry-After that the origin names replaces ours, up to 60 s. One of 0 and
// no-store name no time and leave ours: frameworks put them on every error page, and those who wait
// get our answer, not a copy of the origin's.
Duration server_error_ttl(const http::Headers& headers, const NegativeConfig& config, WallTime now,
                          Rng& rng);

// No whole response came: unreachable, reset, timed out, truncated, failed digest.
Duration unreachable_ttl(const NegativeConfig& config, Rng& rng);

// The Retry-After of an answer of ours: those told to wait must not come back together.
Duration retry_after(Duration remaining, Rng& rng);

}  // namespace tanggul::policy
