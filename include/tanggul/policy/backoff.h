#pragma once

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"

namespace tanggul::policy {

struct BackoffConfig {
  int attempts = 3;  // the first one included
  Duration base = 100ms;
  Duration cap = 10s;
};

// min(cap, base · 2^exponent), without overflow for any exponent.
Duration doubled(Duration base, int exponent, Duration cap);

// The sleep before a retry, U(0, min(cap, base · 2^exponent)): of AWS's jitters the one with the
// fewest calls (Brooker, "Exponential Backoff and Jitter"). The first retry has exponent 0.
Duration full_jitter(const BackoffConfig& config, int exponent, Rng& rng);

}  // namespace tanggul::policy
