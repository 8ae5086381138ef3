#include "tanggul/base/hyperloglog.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "tanggul/base/random.h"

namespace tanggul {
namespace {

TEST(HyperLogLog, IsZeroWhereNothingWasAdded) {
  HyperLogLog sketch;
  EXPECT_EQ(sketch.estimate(), 0);
  sketch.add(7);
  EXPECT_EQ(std::lround(sketch.estimate()), 1);
  sketch.clear();
  EXPECT_EQ(sketch, HyperLogLog());
}

// Five standard errors, by the paper's own figure: passes for a right one in all but a millionth
// of cases, and the seeds are fixed. Small numbers are counted: there only those keys err that fall
// into one register, as many as at birthdays.
TEST(HyperLogLog, ErrsByNoMoreThanItsStandardErrorAllowsFromOneKeyToAMillion) {
  constexpr double kError = 1.04 / 64;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Rng rng(seed);
    HyperLogLog sketch;
    double n = 0;
    for (double next = 1; next <= 1e6; next = std::ceil(next * 1.3)) {
      for (; n < next; ++n) sketch.add(rng.bits());
      EXPECT_NEAR(sketch.estimate(), n, 5 * kError * n) << "seed " << seed;
      const double lost = n * n / (2 * HyperLogLog::kRegisters);  // keys that share a register
      if (n <= 200) EXPECT_NEAR(sketch.estimate(), n, 1 + 5 * std::sqrt(lost)) << "seed " << seed;
    }
  }
}

TEST(HyperLogLog, HasNoBiasWhereTheSmallRangeEnds) {
  for (const int n : {5000, 8000, 10'000, 12'000, 16'000, 24'000}) {
    double sum = 0;
    constexpr int kRuns = 64;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      Rng rng(seed);
      HyperLogLog sketch;
      for (int i = 0; i < n; ++i) sketch.add(rng.bits());
      sum += sketch.estimate() / n;
    }
    EXPECT_NEAR(sum / kRuns, 1, 5 * 1.04 / 64 / std::sqrt(kRuns)) << n;
  }
}

TEST(HyperLogLog, TakesHashesThatAreCountedUp) {
  HyperLogLog sketch;
  for (std::uint64_t i = 0; i < 100'000; ++i) sketch.add(i);
  EXPECT_NEAR(sketch.estimate(), 100'000, 5 * 1.04 / 64 * 100'000);
}

TEST(HyperLogLog, MergedIsWhatOneWouldHaveSeen) {
  EXPECT_TRUE(rc::check("in any order, with any overlap", [](const std::vector<std::uint64_t>& a,
                                                             const std::vector<std::uint64_t>& b) {
    HyperLogLog of_a, of_b, of_both;
    for (const auto h : a) of_a.add(h), of_both.add(h);
    for (const auto h : b) of_b.add(h), of_both.add(h);
    HyperLogLog other_way = of_b;
    other_way.merge(of_a);
    of_a.merge(of_b);
    RC_ASSERT(of_a == of_both);
    RC_ASSERT(other_way == of_both);
    of_a.merge(of_a);
    RC_ASSERT(of_a == of_both);  // again: nothing new
  }));
}

}  // namespace
}  // namespace tanggul
