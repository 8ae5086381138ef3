#include "tanggul/policy/backoff.h"

#include <climits>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::policy {
namespace {

TEST(Backoff, DoublesUpToItsCap) {
  EXPECT_EQ(doubled(100ms, 0, 10s), 100ms);
  EXPECT_EQ(doubled(100ms, 3, 10s), 800ms);
  EXPECT_EQ(doubled(100ms, 7, 10s), 10s);
  EXPECT_EQ(doubled(100ms, -5, 10s), 100ms);
  EXPECT_EQ(doubled(20s, 0, 10s), 10s);
  EXPECT_EQ(doubled(0s, 3, 10s), 0s);
}

TEST(Backoff, NeverOverflows) {
  EXPECT_TRUE(rc::check("0 ≤ sleep ≤ min(cap, …) for any numbers", [] {
    const Duration base(*rc::gen::inRange<std::int64_t>(1, INT64_MAX));
    const Duration cap(*rc::gen::inRange<std::int64_t>(1, INT64_MAX));
    const int exponent = *rc::gen::inRange(0, INT_MAX);
    const auto most = doubled(base, exponent, cap);
    RC_ASSERT(most >= std::min(base, cap) && most <= cap);
    RC_ASSERT(most >= doubled(base, exponent - 1, cap));
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    const auto sleep = full_jitter({3, base, cap}, exponent, rng);
    RC_ASSERT(sleep >= Duration(0) && sleep <= most);
  }));
}

TEST(Backoff, SleepsHalfItsCeilingOnAverage) {
  constexpr int kDraws = 100'000;
  for (const int exponent : {0, 2, 20}) {
    const BackoffConfig config;
    Rng rng(42);
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) sum += seconds(full_jitter(config, exponent, rng));
    const double ceiling = seconds(doubled(config.base, exponent, config.cap));
    const double sigma = ceiling / std::sqrt(12.0 * kDraws);
    EXPECT_NEAR(sum / kDraws, ceiling / 2, 4 * sigma) << exponent;
  }
}

}  // namespace
}  // namespace tanggul::policy
