#include "tanggul/policy/distinct_count.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>
#include <vector>

namespace tanggul::policy {
namespace {

TEST(DistinctCount, ForgetsAKeyAfterFiveMinutesAndNotBeforeFour) {
  EXPECT_TRUE(rc::check("against the last time of every key", [] {
    DistinctCount count;
    std::map<int, MonoTime> last;
    MonoTime now(*rc::gen::inRange(-20, 20) * 30s);  // the clock's zero is nothing special
    for (const int wait : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 90))) {
      now += wait * 1s;
      const int key = *rc::gen::inRange(0, 40);
      count.add(static_cast<std::uint64_t>(key), now);
      last[key] = now;
      const auto within = [&](Duration window) {
        return std::count_if(last.begin(), last.end(),
                             [&](const auto& k) { return k.second > now - window; });
      };
      const auto counted = std::lround(count.estimate(now));
      RC_ASSERT(counted <= within(5min));
      RC_ASSERT(counted >= within(4min));
    }
    RC_ASSERT(count.estimate(now + 5min) == 0);
  }));
}

TEST(DistinctCount, CountsAKeyOnceHoweverOftenItComes) {
  DistinctCount count;
  for (int i = 0; i < 10'000; ++i) count.add(1, MonoTime(1h + i * 10ms));
  EXPECT_EQ(std::lround(count.estimate(MonoTime(1h + 100s))), 1);
}

TEST(DistinctCount, TakesAClockThatStepsBack) {
  DistinctCount count;
  count.add(1, MonoTime(1h));
  count.add(2, MonoTime(1h - 5min));  // the same slot a lap ago
  EXPECT_EQ(std::lround(count.estimate(MonoTime(1h))), 1);
}

}  // namespace
}  // namespace tanggul::policy
