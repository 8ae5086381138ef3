#include "tanggul/policy/rolling_count.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::policy {
namespace {

TEST(RollingCount, LiesBetweenNearlyAllOfTheWindowAndTheWindow) {
  EXPECT_TRUE(rc::check("against every time kept", [] {
    RollingCount count(10s);
    std::vector<MonoTime> times;
    MonoTime now(*rc::gen::inRange(-40, 40) * 1s);  // the clock's zero is nothing special
    for (const int wait : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3000))) {
      now += wait * 1ms;
      count.add(now, 2);
      times.push_back(now);
      const auto within = [&](Duration window) {
        return 2 * static_cast<std::uint64_t>(std::count_if(
                       times.begin(), times.end(), [&](MonoTime t) { return t > now - window; }));
      };
      RC_ASSERT(count.total(now) <= within(10s));
      RC_ASSERT(count.total(now) >= within(9500ms));
    }
    count.clear();
    RC_ASSERT(count.total(now) == 0U);
  }));
}

TEST(RollingCount, TakesAClockThatStepsBack) {
  RollingCount count(10s);
  count.add(MonoTime(1h));
  count.add(MonoTime(1h - 10s));  // the same slot a lap ago
  EXPECT_EQ(count.total(MonoTime(1h)), 1U);
}

}  // namespace
}  // namespace tanggul::policy
