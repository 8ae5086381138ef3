#include "tanggul/policy/concurrency_limit.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tanggul/base/random.h"

namespace tanggul::policy {
namespace {

ConcurrencyConfig adaptive(int start = 32, int min = 1, int max = 1000) {
  return {.concurrency = start, .adaptive = true, .min = min, .max = max};
}
void run(ConcurrencyLimit& limit, int samples, Duration rtt, bool dropped = false) {
  for (int i = 0; i < samples; ++i) limit.sample(rtt, limit.limit(), dropped);
}

TEST(ConcurrencyLimit, FixedIgnoresWhatItSees) {
  ConcurrencyLimit limit({.concurrency = 8});
  for (int i = 0; i < 100; ++i) limit.sample(5s, 8, i % 2 == 0);
  EXPECT_EQ(limit.limit(), 8);
}

TEST(ConcurrencyLimit, GrowsWhileRoundTripsStayShort) {
  ConcurrencyLimit limit(adaptive());
  run(limit, 200, 20ms);
  EXPECT_GT(limit.limit(), 64);
  run(limit, 5000, 20ms);
  EXPECT_EQ(limit.limit(), 1000);
}

TEST(ConcurrencyLimit, ShrinksWhenTheOriginSlowsDown) {
  ConcurrencyLimit limit(adaptive(200));
  run(limit, 50, 20ms);
  const int before = limit.limit();
  run(limit, 30, 500ms);
  EXPECT_LT(limit.limit(), before / 4);
}

TEST(ConcurrencyLimit, ShrinksWithDropsDownToItsFloor) {
  ConcurrencyLimit limit(adaptive(32, 4));
  run(limit, 100, 20ms, true);
  EXPECT_EQ(limit.limit(), 4);
}

TEST(ConcurrencyLimit, GrowsAgainAfterASlownessIsOver) {
  ConcurrencyLimit limit(adaptive());
  run(limit, 100, 20ms);
  run(limit, 100, 1s);
  const int low = limit.limit();
  run(limit, 500, 20ms);
  EXPECT_GT(limit.limit(), low);
}

TEST(ConcurrencyLimit, NoticesTheNextSlownessSoonAfterALongOne) {
  ConcurrencyLimit limit(adaptive());
  run(limit, 300, 1s);
  run(limit, 300, 20ms);
  const int high = limit.limit();
  run(limit, 10, 200ms);
  EXPECT_LT(limit.limit(), high);
}

// A limit that follows the load it can serve: latency rises once 50 are in flight.
TEST(ConcurrencyLimit, SettlesNearWhatTheOriginCanServe) {
  ConcurrencyLimit limit(adaptive(10));
  for (int i = 0; i < 400; ++i) {
    const int in_flight = limit.limit();
    limit.sample(in_flight <= 50 ? Duration(20ms) : Duration(20ms) * in_flight / 50, in_flight,
                 false);
  }
  EXPECT_GT(limit.limit(), 40);
  EXPECT_LT(limit.limit(), 250);
}

TEST(ConcurrencyLimit, StaysInBoundsAndNeverGrowsUnused) {
  EXPECT_TRUE(rc::check("any samples", [](std::uint64_t seed) {
    Rng rng(seed);
    ConcurrencyLimit limit(adaptive(20, 3, 60));
    for (int i = 0; i < 500; ++i) {
      const int before = limit.limit();
      const int in_flight = static_cast<int>(rng.bits() % 80);
      limit.sample(rng.upto(2s), in_flight, rng.bits() % 5 == 0);
      RC_ASSERT(limit.limit() >= 3 && limit.limit() <= 60);
      if (in_flight < before / 2) RC_ASSERT(limit.limit() <= before);
    }
  }));
}

}  // namespace
}  // namespace tanggul::policy
