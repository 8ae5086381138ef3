#pragma once

#include <cstdint>

#include "tanggul/base/clock.h"

namespace tanggul::policy {

// What the last five minutes were like for one key pattern.
struct CoalescingFigures {
  double distinct_keys = 0;  // of the misses
  std::uint64_t fetches = 0;
  std::uint64_t shared = 0;   // of the fetches those that more than one request waited for
  Duration origin_latency{};  // the mean of an attempt
};

// From when on it is worth telling.
struct CoalescingLimits {
  double distinct_keys = 50;        // fewer spare nothing, even if they were one
  double shared_ratio = 0.05;       // of the fetches: from here on sharing does help. By fetches,
                                    // not by responses: one herd on one key would outweigh
                                    // thousands of fetches that nobody shares
  double distinct_ratio = 0.5;      // of the fetches: below it keys do come again, and it is their
                                    // lifetime that is short
  Duration origin_latency = 100ms;  // below it few meet in a flight, and little is lost
};

// Whether requests do not share fetches because each asks for another key, from an origin slow
// enough that it hurts. A hot key behind a slow origin never is such a case.
bool coalescing_fails(const CoalescingFigures& figures, const CoalescingLimits& limits = {});

}  // namespace tanggul::policy
