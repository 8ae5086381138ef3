#include "base/metrics.h"

#include <gtest/gtest.h>

namespace tanggul {

TEST(MetricSet, GivesTheSameSeriesForTheSameLabels) {
  MetricSet set;
  set.counter("requests_total", "", {{"origin", "a"}}).add(2);
  set.counter("requests_total", "", {{"origin", "a"}}).add(3);
  set.counter("requests_total", "", {{"origin", "b"}});
  int families = 0;
  set.visit([&](const MetricSet::Family& f) {
    ++families;
    ASSERT_EQ(f.series.size(), 2U);
    EXPECT_EQ(f.series[0].counter->value(), 5U);
    EXPECT_EQ(f.series[1].counter->value(), 0U);
  });
  EXPECT_EQ(families, 1);
}

TEST(Histogram, PutsADurationIntoTheBucketThatEndsAtOrAboveIt) {
  Histogram h;
  h.observe(1ms);
  h.observe(1ms + 1ns);
  h.observe(120s);
  EXPECT_EQ(h.bucket(0), 1U);
  EXPECT_EQ(h.bucket(1), 1U);
  EXPECT_EQ(h.bucket(Histogram::kBuckets - 1), 1U);
  EXPECT_NEAR(h.sum(), 120.002, 1e-6);
}

}  // namespace tanggul
