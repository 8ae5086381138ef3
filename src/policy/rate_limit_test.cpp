#include "tanggul/policy/rate_limit.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tanggul/base/random.h"

namespace tanggul::policy {
namespace {

constexpr MonoTime kStart(1h);

int admit_all(RateLimit& limit, MonoTime now) {
  int n = 0;
  while (n < 100'000 && limit.admit(now)) ++n;
  return n;
}

TEST(RateLimit, LetsABurstThroughAndThenItsRate) {
  RateLimit limit(50, 100);
  EXPECT_EQ(admit_all(limit, kStart), 100);
  EXPECT_EQ(limit.delay(kStart), 20ms);
  EXPECT_EQ(admit_all(limit, kStart + 20ms), 1);
  EXPECT_EQ(admit_all(limit, kStart + 1s), 49);
  EXPECT_EQ(admit_all(limit, kStart + 1h), 100);
}

TEST(RateLimit, HandsOutSlotsOneIntervalApart) {
  RateLimit limit(1.0 / 3, 1);
  EXPECT_EQ(limit.reserve(kStart), 0s);
  EXPECT_EQ(limit.reserve(kStart), 3s);
  EXPECT_EQ(limit.reserve(kStart + 1s), 5s);
  EXPECT_FALSE(limit.admit(kStart + 8s));
  EXPECT_TRUE(limit.admit(kStart + 9s));
}

TEST(RateLimit, OfZeroIsNone) {
  RateLimit limit(0, 0);
  EXPECT_EQ(admit_all(limit, kStart), 100'000);
  EXPECT_EQ(limit.reserve(kStart), 0s);
  EXPECT_EQ(RateLimit(std::numeric_limits<double>::quiet_NaN(), 1).delay(kStart), 0s);
}

TEST(RateLimit, TakesNumbersOfAnySize) {
  RateLimit slow(1e-300, 1e300);
  for (int i = 0; i < 1000; ++i) slow.reserve(kStart);
  RateLimit fast(1e300, 1);
  EXPECT_TRUE(fast.admit(kStart));
  EXPECT_TRUE(fast.admit(kStart + 1ns));
}

TEST(RateLimit, NeverAdmitsMoreThanRateTimesTimePlusBurst) {
  EXPECT_TRUE(rc::check("every interval of every schedule", [] {
    const double rate = *rc::gen::inRange(1, 200);
    const double burst = *rc::gen::inRange(1, 40);
    RateLimit limit(rate, burst);
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<MonoTime> gone;
    MonoTime now = kStart;
    for (int i = 0; i < 400; ++i) {
      if (rng.unit() < 0.3) now += rng.upto(from_seconds(8 / rate));
      if (rng.unit() < 0.2)
        gone.push_back(now + limit.reserve(now));
      else if (limit.admit(now))
        gone.push_back(now);
    }
    RC_ASSERT(std::is_sorted(gone.begin(), gone.end()));
    for (std::size_t i = 0; i < gone.size(); ++i)
      for (std::size_t j = i; j < gone.size(); ++j)
        RC_ASSERT(static_cast<double>(j - i + 1) <=
                  rate * seconds(gone[j] - gone[i]) + burst + 1e-6);
  }));
}

}  // namespace
}  // namespace tanggul::policy
