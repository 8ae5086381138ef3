#include "tanggul/policy/serve.h"

#include <cmath>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "tanggul/policy/xfetch.h"

namespace tanggul::policy {
namespace {

constexpr WallTime kBirth{std::chrono::seconds(1'750'000'000)};

// Born at kBirth, fresh for 100 s, stale for 10 s more while it is refreshed, 1 h if the origin
// fails; came from an origin that answers at once.
class ServeTest : public testing::Test {
 protected:
  Serve at(Duration age, std::string_view request = "", double beta = 1.0) {
    return decide(stored, http::parse_cache_control(request), beta, kBirth + age, rng);
  }
  bool on_error(Duration age, std::string_view request = "") {
    return stale_if_error_allowed(stored, http::parse_cache_control(request), kBirth + age);
  }

  StoredTimes stored{.stored_at = kBirth,
                     .birth = kBirth,
                     .expires = kBirth + 100s,
                     .stale_while_revalidate = 10s,
                     .stale_if_error = 1h};
  Rng rng{5};
};

TEST_F(ServeTest, GoesFromFreshToStaleToRevalidation) {
  EXPECT_EQ(at(0s), Serve::fresh);
  EXPECT_EQ(at(100s - 1ns), Serve::fresh);
  EXPECT_EQ(at(100s), Serve::stale_refresh);
  EXPECT_EQ(at(110s - 1ns), Serve::stale_refresh);
  EXPECT_EQ(at(110s), Serve::revalidate);
}

TEST_F(ServeTest, RevalidatesForAClientThatAsksForIt) {
  for (const auto* request : {"no-cache", "max-age=0", "max-age=x", "max-age=4", "min-fresh=96"})
    EXPECT_EQ(at(5s, request), Serve::revalidate) << request;
  for (const auto* request : {"max-age=5", "min-fresh=95", "", "no-transform"})
    EXPECT_EQ(at(5s, request), Serve::fresh) << request;
}

TEST_F(ServeTest, GivesNothingStaleToAClientThatNamesAMaxAge) {
  EXPECT_EQ(at(105s, "max-age=500"), Serve::revalidate);
  EXPECT_EQ(at(105s, "max-age=500, max-stale"), Serve::stale_refresh);
}

TEST_F(ServeTest, GivesTheStaleToAClientThatTakesIt) {
  EXPECT_EQ(at(24h * 365, "max-stale"), Serve::stale_refresh);
  EXPECT_EQ(at(130s, "max-stale=30"), Serve::stale_refresh);
  EXPECT_EQ(at(131s, "max-stale=30"), Serve::revalidate);
  EXPECT_EQ(at(105s, "max-stale=4"), Serve::revalidate);
  stored.must_revalidate = true;
  EXPECT_EQ(at(130s, "max-stale"), Serve::revalidate);
}

TEST_F(ServeTest, AlwaysRevalidatesNoCache) {
  stored.no_cache = true;
  EXPECT_EQ(at(0s), Serve::revalidate);
  EXPECT_EQ(at(105s, "max-stale"), Serve::revalidate);
}

TEST_F(ServeTest, RefreshesEarlyByChanceNearTheEnd) {
  stored.cost = 5s;
  int early = 0;
  for (int i = 0; i < 1000; ++i) early += at(99s) == Serve::fresh_refresh;
  EXPECT_GT(early, 700);  // e^(−1/5) of them
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(at(99s, "", 0), Serve::fresh);
}

TEST_F(ServeTest, StandsInForAFailingOriginWithinItsWindow) {
  EXPECT_TRUE(on_error(5s));
  EXPECT_TRUE(on_error(100s + 1h - 1ns));
  EXPECT_FALSE(on_error(100s + 1h));
  stored.stale_if_error = 0s;
  EXPECT_FALSE(on_error(101s));
  EXPECT_TRUE(on_error(99s, "no-cache"));
}

TEST_F(ServeTest, LetsAClientNarrowAndWidenThatWindow) {
  EXPECT_FALSE(on_error(200s, "stale-if-error=50"));
  EXPECT_TRUE(on_error(3h, "stale-if-error=99999"));
  EXPECT_TRUE(on_error(24h * 365, "max-stale"));
  stored.must_revalidate = true;
  EXPECT_TRUE(on_error(200s));  // the origin named a window beside must-revalidate
  EXPECT_FALSE(on_error(200s, "stale-if-error=50"));
  EXPECT_FALSE(on_error(3h, "stale-if-error=99999"));
  EXPECT_FALSE(on_error(3h, "max-stale"));
}

TEST_F(ServeTest, NeverStandsInWithNoCacheUnlessTheOriginSaysSo) {
  stored.no_cache = true;
  EXPECT_TRUE(on_error(5s));
  stored.stale_if_error = 0s;
  EXPECT_FALSE(on_error(5s));
}

TEST_F(ServeTest, AgeIsNeverNegative) {
  EXPECT_EQ(age(stored, kBirth + 7s), 7s);
  EXPECT_EQ(age(stored, kBirth - 7s), 0s);
}

TEST(XFetch, RefreshesWithTheChanceOfThePaper) {
  constexpr int kDraws = 100'000;
  for (const auto& [remaining, beta] :
       {std::pair(1.0, 1.0), {2.0, 1.0}, {5.0, 1.0}, {1.0, 2.0}, {1.0, 0.5}}) {
    Rng rng(11);
    int early = 0;
    for (int i = 0; i < kDraws; ++i)
      early += refresh_early(kBirth, kBirth + from_seconds(remaining), 1s, beta, rng);
    const double p = std::exp(-remaining / beta);
    const double sigma = std::sqrt(p * (1 - p) / kDraws);
    EXPECT_NEAR(static_cast<double>(early) / kDraws, p, 4 * sigma) << remaining << ' ' << beta;
  }
}

TEST(XFetch, IsAlwaysAfterTheExpiryAndNeverBeforeWithoutBetaOrCost) {
  Rng rng(12);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(refresh_early(kBirth, kBirth, 1s, 0, rng));
    ASSERT_FALSE(refresh_early(kBirth, kBirth + 1ns, 1h, 0, rng));
    ASSERT_FALSE(refresh_early(kBirth, kBirth + 1ns, 0s, 1, rng));
  }
}

}  // namespace
}  // namespace tanggul::policy
