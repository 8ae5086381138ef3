#include "tanggul/policy/recent_growth.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace tanggul::policy {
namespace {

TEST(RecentGrowth, LiesBetweenTheSpanLessASecondAndTheSpan) {
  EXPECT_TRUE(rc::check("against the time of each event", [] {
    MonoTime now(*rc::gen::inRange(0, 1000) * 1s);
    std::uint64_t count = *rc::gen::inRange(0, 100);  // whatever there was before does not count
    RecentGrowth growth(now, {count, 0});
    std::vector<MonoTime> events;
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3));
    for (const int happens : steps) {
      // Sampled late by a tenth, as a busy loop does.
      for (int i = 0; i < 20; ++i) {
        now += 1100ms;
        for (int n = 0; n < happens; ++n) events.push_back(now), ++count;
        growth.sample(now, {count, 0});
      }
      for (const Duration span : {Duration(1min), Duration(5min)}) {
        const auto within = [&](Duration window) {
          return static_cast<std::uint64_t>(std::count_if(
              events.begin(), events.end(), [&](MonoTime t) { return t > now - window; }));
        };
        const auto grown = growth.growth(now, span, {count, 0});
        RC_ASSERT(grown[0] <= within(span));
        RC_ASSERT(grown[0] >= within(span - 1100ms));
        RC_ASSERT(grown[1] == 0U);
      }
    }
  }));
}

TEST(RecentGrowth, CountsWhatHasHappenedSinceTheLastSample) {
  RecentGrowth growth(MonoTime(1h), {5});
  EXPECT_EQ(growth.growth(MonoTime(1h + 10ms), 1min, {9})[0], 4U);
  growth.sample(MonoTime(1h + 500ms), {9});  // too soon: ignored
  EXPECT_EQ(growth.growth(MonoTime(1h + 600ms), 1min, {9})[0], 4U);
}

TEST(RecentGrowth, SaysWhatItCanWhereNobodyHasSampledForLong) {
  RecentGrowth growth(MonoTime(1h), {5});
  growth.sample(MonoTime(1h + 10s), {7});
  EXPECT_EQ(growth.growth(MonoTime(2h), 1min, {8})[0], 1U);
}

}  // namespace
}  // namespace tanggul::policy
