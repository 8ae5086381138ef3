#include "tanggul/policy/negative.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "http/date.h"

namespace tanggul::policy {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'750'000'000)};

class Negative : public testing::Test {
 protected:
  Negative() { config.jitter = 0s; }
  using Lines = std::vector<http::Header>;

  Duration absent(Lines headers, bool registry) {
    return not_found_ttl(http::Headers(std::move(headers)), config, registry, kNow, rng);
  }
  Duration error(Lines headers) {
    return server_error_ttl(http::Headers(std::move(headers)), config, kNow, rng);
  }
  static http::Header cc(std::string value) { return {"Cache-Control", std::move(value)}; }

  NegativeConfig config;
  Rng rng{3};
};

TEST_F(Negative, RemembersAnAbsenceAMinute) {
  EXPECT_EQ(absent({}, true), 60s);
  EXPECT_EQ(absent({}, false), 60s);
}

TEST_F(Negative, KeepsAnAbsenceAsLongAsTheOriginNamesUpToAMinute) {
  for (const bool registry : {true, false}) {
    EXPECT_EQ(absent({cc("max-age=20")}, registry), 20s);
    EXPECT_EQ(absent({cc("max-age=3600")}, registry), 60s);
    EXPECT_EQ(absent({cc("max-age=300"), {"Age", "290"}}, registry), 10s);
  }
  config.not_found = 0s;
  EXPECT_EQ(absent({}, true), 0s);
  EXPECT_EQ(absent({cc("max-age=20")}, true), 20s);
}

TEST_F(Negative, RemembersARegistrysAbsenceWhateverItSays) {
  for (const auto* value : {"no-store", "private", "max-age=0", "no-cache", "max-age=x"})
    EXPECT_EQ(absent({cc(value)}, true), 60s) << value;
}

TEST_F(Negative, FollowsTheRfcForAnythingElse) {
  for (const auto* value : {"no-store", "private, max-age=60", "max-age=0", "no-cache, max-age=9"})
    EXPECT_EQ(absent({cc(value)}, false), 0s) << value;
  EXPECT_EQ(absent({{"Vary", "*"}}, false), 0s);
  EXPECT_EQ(absent({{"Expires", "0"}}, false), 0s);
  EXPECT_EQ(absent({{"Set-Cookie", "a=b"}}, false), 0s);
}

TEST_F(Negative, LetsALongerSettingForAbsencesStand) {
  config.not_found = 5min;
  EXPECT_EQ(absent({}, true), 5min);
}

TEST_F(Negative, RemembersAServerErrorWhateverItsCacheControlSays) {
  EXPECT_EQ(error({}), 20s);
  for (const auto* value :
       {"no-store", "private", "no-cache, no-store, max-age=0, must-revalidate"})
    EXPECT_EQ(error({cc(value)}), 20s) << value;
  EXPECT_EQ(error({{"Expires", "0"}, {"Retry-After", "0"}}), 20s);
}

TEST_F(Negative, LetsAServerErrorShortenItsMemory) {
  EXPECT_EQ(error({cc("max-age=5")}), 5s);
  EXPECT_EQ(error({{"Retry-After", "7"}}), 7s);
  EXPECT_EQ(error({{"Retry-After", http::format_date(kNow + 9s)}}), 9s);
  EXPECT_EQ(error({{"Retry-After", "7"}, cc("max-age=5")}), 5s);
  EXPECT_EQ(error({{"Expires", http::format_date(kNow + 4s)}}), 4s);
}

TEST_F(Negative, NeverKeepsAServerErrorPastAMinute) {
  EXPECT_EQ(error({cc("max-age=3600")}), 60s);
  EXPECT_EQ(error({{"Retry-After", "3600"}}), 60s);
  config.server_error = 0s;
  EXPECT_EQ(error({cc("max-age=3600")}), 0s);
}

TEST_F(Negative, RemembersTheUnreachable) {
  EXPECT_EQ(unreachable_ttl(config, rng), 30s);
  config.unreachable = 0s;
  EXPECT_EQ(unreachable_ttl(config, rng), 0s);
  config.unreachable = 1h;
  EXPECT_EQ(unreachable_ttl(config, rng), 60s);
}

TEST_F(Negative, SpreadsByATenthWithinTheMinuteAndNeverPastTheOriginsWord) {
  config.jitter = 30s;
  Duration most{}, least_named = 1h;
  for (int i = 0; i < 2000; ++i) {
    const auto ttl = unreachable_ttl(config, rng);
    ASSERT_TRUE(ttl >= 30s && ttl <= 33s);
    most = std::max(most, ttl);
    ASSERT_LE(absent({}, true), 60s);
    ASSERT_LE(error({cc("max-age=58")}), 60s);
    const auto named = absent({cc("max-age=50")}, true);
    ASSERT_TRUE(named >= 45s && named <= 50s);
    least_named = std::min(least_named, named);
  }
  EXPECT_GT(most, 32s);
  EXPECT_LT(least_named, 46s);
}

TEST_F(Negative, TellsWaitersToComeBackApart) {
  Duration most{};
  for (int i = 0; i < 2000; ++i) {
    const auto soon = retry_after(4s, rng);
    ASSERT_TRUE(soon >= 4s && soon <= 6s);
    most = std::max(most, retry_after(100s, rng));
  }
  EXPECT_GT(most, 115s);
  EXPECT_LE(most, 120s);
  EXPECT_LE(retry_after(-5s, rng), 2s);
}

}  // namespace
}  // namespace tanggul::policy
