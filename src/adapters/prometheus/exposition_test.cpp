#include "adapters/prometheus/exposition.h"

#include <gtest/gtest.h>

#include <limits>

namespace tanggul::prometheus_text {

TEST(Exposition, WritesCountersFromZeroAndCumulativeBuckets) {
  MetricSet set;
  set.counter("a_total", "counts", {{"origin", "npm"}});
  set.histogram("d_seconds", "takes").observe(20ms);
  const std::string text = expose(set);
  EXPECT_NE(text.find("a_total{origin=\"npm\"} 0"), std::string::npos) << text;
  EXPECT_NE(text.find("d_seconds_bucket{le=\"0.01\"} 0"), std::string::npos) << text;
  EXPECT_NE(text.find("d_seconds_bucket{le=\"0.025\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("d_seconds_bucket{le=\"+Inf\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("d_seconds_count 1"), std::string::npos) << text;
}

TEST(Exposition, LeavesOutAGaugeThatIsNotKnownYet) {
  MetricSet set;
  set.gauge_fn("quota", "", {}, [] { return std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_EQ(expose(set).find("\nquota "), std::string::npos);
}

}  // namespace tanggul::prometheus_text
