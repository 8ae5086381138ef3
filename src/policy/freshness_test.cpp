#include "tanggul/policy/freshness.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "http/date.h"
#include "http/delta_seconds.h"

namespace tanggul::policy {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'750'000'000)};

class Freshness : public testing::Test {
 protected:
  Freshness() { config.ttl_jitter = 0s; }

  Lifetime of(std::vector<http::Header> headers, int status = 200) {
    return judge(status, http::Headers(std::move(headers)), context, config, kNow - delay, kNow,
                 rng);
  }
  Lifetime cc(std::string value, int status = 200) {
    return of({{"Cache-Control", std::move(value)}}, status);
  }

  ResponseContext context;
  FreshnessConfig config;
  Duration delay{};
  Rng rng{1};
};

std::string date(Duration from_now) { return http::format_date(kNow + from_now); }

TEST_F(Freshness, PrefersSMaxageToMaxAgeToExpires) {
  EXPECT_EQ(cc("max-age=60, s-maxage=90").fresh_for, 90s);
  const auto life =
      of({{"Cache-Control", "max-age=60"}, {"Expires", date(1h)}, {"Date", date(0s)}});
  EXPECT_EQ(life.fresh_for, 60s);
  EXPECT_TRUE(life.storable && life.shareable && life.from_origin && life.explicit_freshness);
  EXPECT_EQ(of({{"Expires", date(1h)}, {"Date", date(-1min)}}).fresh_for, 61min);
  EXPECT_EQ(of({{"Expires", date(1h)}}).fresh_for, 1h);
}

TEST_F(Freshness, CountsTheInvalidAsExpired) {
  for (const auto& life :
       {cc("max-age=soon"), cc("max-age=1, max-age=2"), of({{"Expires", "0"}}),
        of({{"Expires", "-1"}}), of({{"Expires", date(1h)}, {"Expires", date(2h)}}),
        of({{"Expires", date(-1h)}, {"Date", date(0s)}}), cc("max-age=0")}) {
    EXPECT_EQ(life.fresh_for, 0s);
    EXPECT_TRUE(life.explicit_freshness && life.storable);
  }
}

TEST_F(Freshness, UsesOurLifetimesWhereTheOriginNamesNone) {
  EXPECT_EQ(of({}).fresh_for, 60s);
  EXPECT_EQ(cc("public").fresh_for, 60s);
  context.resource = ResourceClass::metadata;
  EXPECT_EQ(of({}).fresh_for, 60s);
  context.resource = ResourceClass::immutable;
  const auto life = of({});
  EXPECT_EQ(life.fresh_for, 24h);
  EXPECT_TRUE(life.storable);
  EXPECT_FALSE(life.from_origin || life.explicit_freshness);
}

TEST_F(Freshness, GivesStatusesWithoutHeuristicsNoLifetimeOfOurs) {
  for (const int status : {201, 302, 303, 307, 400, 403, 500, 503}) {
    EXPECT_FALSE(of({}, status).storable) << status;
    EXPECT_EQ(of({}, status).fresh_for, 0s) << status;
  }
  EXPECT_EQ(cc("max-age=60", 302).fresh_for, 60s);
  EXPECT_TRUE(cc("max-age=60", 302).storable);
  for (const int status : {200, 203, 204, 300, 301, 308, 404, 405, 410, 414})
    EXPECT_TRUE(of({}, status).storable) << status;
}

TEST_F(Freshness, NeverStoresPartsChallengesOrLimits) {
  for (const int status : {100, 206, 304, 401, 407, 428, 429, 431, 511})
    EXPECT_FALSE(cc("public, max-age=60", status).storable) << status;
  context.method_get = false;
  EXPECT_FALSE(cc("max-age=60").storable);
}

TEST_F(Freshness, LeavesTheHeuristicsWhereOursIsOff) {
  config.ttl = config.metadata_ttl = 0s;
  EXPECT_EQ(of({{"Last-Modified", date(-100min)}, {"Date", date(0s)}}).fresh_for, 10min);
  EXPECT_EQ(of({{"Last-Modified", date(-24h * 365)}}).fresh_for, 24h);
  EXPECT_EQ(of({{"Last-Modified", date(1h)}}).fresh_for, 0s);
  EXPECT_EQ(of({}).fresh_for, 0s);
}

TEST_F(Freshness, TakesTheLargerOfApparentAndCorrectedAge) {
  EXPECT_EQ(of({{"Age", "30"}, {"Cache-Control", "max-age=60"}}).initial_age, 30s);
  delay = 2s;
  EXPECT_EQ(of({{"Age", "30"}, {"Date", date(-10s)}}).initial_age, 32s);
  EXPECT_EQ(of({{"Age", "5"}, {"Date", date(-10s)}}).initial_age, 10s);
  EXPECT_EQ(of({{"Age", "-5"}, {"Date", date(1h)}}).initial_age, 2s);
  EXPECT_EQ(of({{"Age", "7, 9"}}).initial_age, 9s);
}

TEST_F(Freshness, TheFractionThatADateCannotSayIsNoAge) {
  const auto age_at = [&](Duration after) {
    const http::Headers headers({{"Date", date(0s)}});
    return judge(200, headers, context, config, kNow + after, kNow + after, rng).initial_age;
  };
  EXPECT_EQ(age_at(999ms), 0s);
  EXPECT_EQ(age_at(1s), 1s);
}

TEST_F(Freshness, IgnoresAnAgeThatIsNoNumber) {
  for (const char* age : {"abc", "-7200", "7200.0", "", ","})
    EXPECT_EQ(of({{"Age", age}}).initial_age, 0s) << age;
  EXPECT_EQ(of({{"Age", "7200;foo=bar"}}).initial_age, 7200s);  // no younger for its parameter
  EXPECT_EQ(of({{"Age", "0"}, {"Age", "7200"}}).initial_age, 0s);
}

TEST_F(Freshness, DistrustsAnUnclearAgeIfToldTo) {
  config.distrust_unclear_age = true;
  for (const char* age : {"abc", "-7200", "7200.0", "0, 0", "0, 7200", "7;a"}) {
    const auto life = of({{"Age", age}, {"Cache-Control", "max-age=3600"}});
    EXPECT_GT(life.initial_age, life.fresh_for) << age;
  }
  EXPECT_EQ(of({{"Age", "7"}}).initial_age, 7s);
  EXPECT_EQ(of({}).initial_age, 0s);
}

TEST_F(Freshness, GuessesForServerErrorsOnlyWhereTheRfcDoes) {
  config.metadata_ttl = config.ttl = 0s;
  const http::Header changed{"Last-Modified", date(-1h)};
  EXPECT_TRUE(of({changed}, 501).storable);
  EXPECT_EQ(of({changed}, 501).fresh_for, 60s);  // a failure's minute
  EXPECT_FALSE(of({changed}, 503).storable);
  EXPECT_FALSE(of({changed}, 599).storable);
  EXPECT_TRUE(of({changed, {"Cache-Control", "public"}}, 599).storable);
  EXPECT_FALSE(of({{"Cache-Control", "public"}}, 599).storable);
  EXPECT_FALSE(of({{"Expires", "0"}, changed}, 501).storable);
}

TEST_F(Freshness, BeginsOurOwnLifetimeWhenTheResponseComes) {
  const auto life = of({{"Age", "5000"}});
  EXPECT_EQ(life.fresh_for - life.initial_age, 60s);
  EXPECT_EQ(of({{"Age", "50"}, {"Cache-Control", "max-age=60"}}).fresh_for, 60s);
}

TEST_F(Freshness, KeepsThePrivateFromOthersAndOutOfTheCache) {
  for (const auto* value : {"private, max-age=60", "no-store, public, max-age=60", "PRIVATE"}) {
    EXPECT_FALSE(cc(value).storable) << value;
    EXPECT_FALSE(cc(value).shareable) << value;
  }
  const auto star = of({{"Vary", "Accept, *"}, {"Cache-Control", "max-age=60"}});
  EXPECT_FALSE(star.storable || star.shareable);
}

TEST_F(Freshness, HeedsQualifiedFormsWhereTheirFieldIsThere) {
  const std::string value = "max-age=60, private=\"X-User\", no-cache=\"X-Fresh\"";
  EXPECT_TRUE(cc(value).storable);
  EXPECT_FALSE(cc(value).no_cache);
  EXPECT_FALSE(of({{"Cache-Control", value}, {"X-User", "1"}}).shareable);
  EXPECT_TRUE(of({{"Cache-Control", value}, {"X-Fresh", "1"}}).no_cache);
}

TEST_F(Freshness, StoresNoCacheToRevalidateIt) {
  const auto life = cc("no-cache, max-age=60");
  EXPECT_TRUE(life.storable && life.shareable && life.no_cache);
}

TEST_F(Freshness, UnderstandsMustUnderstand) {
  EXPECT_TRUE(cc("must-understand, no-store, max-age=60").storable);
  EXPECT_FALSE(cc("must-understand, no-store, max-age=60", 299).storable);
  EXPECT_FALSE(cc("must-understand, max-age=60", 299).storable);
  EXPECT_TRUE(cc("max-age=60", 299).storable);
}

TEST_F(Freshness, SharesWhatAuthorizationFetchedOnlyWhereTheOriginSaysSo) {
  context.had_authorization = true;
  EXPECT_FALSE(cc("max-age=60").storable);
  EXPECT_FALSE(cc("max-age=60, proxy-revalidate").shareable);
  for (const auto* value : {"public", "s-maxage=60", "max-age=60, must-revalidate"})
    EXPECT_TRUE(cc(value).storable && cc(value).shareable) << value;
}

TEST_F(Freshness, KeepsACookieToItsOwnerUnlessFreshnessIsNamed) {
  const http::Header cookie{"Set-Cookie", "session=1"};
  EXPECT_FALSE(of({cookie}).shareable);
  EXPECT_FALSE(of({cookie, {"Cache-Control", "public"}}).storable);
  EXPECT_FALSE(of({cookie, {"Cache-Control", "max-age=0"}}).shareable);
  EXPECT_FALSE(of({cookie, {"Cache-Control", "no-cache, max-age=60"}}).shareable);
  EXPECT_TRUE(of({cookie, {"Cache-Control", "max-age=60"}}).storable);
  context.registry = true;
  EXPECT_TRUE(of({cookie}).storable);
}

TEST_F(Freshness, GrantsStaleDefaultsOnlyWhereNothingForbids) {
  EXPECT_EQ(cc("max-age=60").stale_if_error, 24h);
  EXPECT_EQ(cc("max-age=60").stale_while_revalidate, 10s);
  for (const auto* value :
       {"no-cache", "max-age=60, must-revalidate", "s-maxage=60", "max-age=60, proxy-revalidate"}) {
    EXPECT_EQ(cc(value).stale_if_error, 0s) << value;
    EXPECT_EQ(cc(value).stale_while_revalidate, 0s) << value;
    EXPECT_EQ(cc(std::string(value) + ", stale-if-error=5").stale_if_error, 5s) << value;
  }
  EXPECT_TRUE(cc("s-maxage=60").must_revalidate);
}

TEST_F(Freshness, TakesTheOriginsStaleWindowsFirst) {
  const auto life = cc("max-age=60, stale-while-revalidate=0, stale-if-error=100");
  EXPECT_EQ(life.stale_while_revalidate, 0s);
  EXPECT_EQ(life.stale_if_error, 100s);
  config.stale_if_error = 0s;
  EXPECT_EQ(cc("max-age=60, stale-if-error=100").stale_if_error, 100s);
  EXPECT_EQ(cc("max-age=60").stale_if_error, 0s);
}

TEST_F(Freshness, OverridesFreshnessButNeverPrivacy) {
  config.override_origin = true;
  const auto life = cc("no-cache, max-age=5, must-revalidate, stale-if-error=1");
  EXPECT_EQ(life.fresh_for, 60s);
  EXPECT_EQ(life.stale_if_error, 24h);
  EXPECT_FALSE(life.no_cache || life.must_revalidate || life.from_origin);
  EXPECT_FALSE(cc("private, max-age=5").storable);
  EXPECT_FALSE(cc("no-store").shareable);
  config.metadata_ttl = 0s;  // ours is off: nothing to override with
  EXPECT_EQ(cc("max-age=5").fresh_for, 5s);
  EXPECT_TRUE(cc("no-cache").no_cache);
}

TEST_F(Freshness, KeepsFailuresAMinuteAtMostAndNeverStale) {
  for (const int status : {404, 410, 500, 503}) {
    const auto life = cc("max-age=3600", status);
    EXPECT_TRUE(life.storable) << status;
    EXPECT_EQ(life.fresh_for, 60s) << status;
    EXPECT_EQ(life.stale_if_error + life.stale_while_revalidate, 0s) << status;
    EXPECT_EQ(cc("max-age=20", status).fresh_for, 20s) << status;
  }
  EXPECT_FALSE(cc("max-age=0", 503).storable);
  EXPECT_FALSE(of({}, 501).storable);
  context.resource = ResourceClass::immutable;
  EXPECT_EQ(of({}, 404).fresh_for, 60s);
  config.metadata_ttl = 20s;  // what is not there is not immutable
  EXPECT_EQ(of({}, 404).fresh_for, 20s);
}

TEST_F(Freshness, SharesFailuresWhateverTheySay) {
  for (const int status : {500, 503, 429}) EXPECT_TRUE(cc("no-store", status).shareable) << status;
  EXPECT_FALSE(cc("no-store", 503).storable);
  EXPECT_FALSE(cc("private", 404).shareable);
  context.registry = true;
  EXPECT_TRUE(cc("private", 404).shareable);
  EXPECT_FALSE(cc("private", 200).shareable);
}

TEST_F(Freshness, JittersOursUpAndTheOriginsDownByATenthAtMost) {
  config.ttl_jitter = 30s;
  Duration least = 1h, most = 0s, least_named = 1h, most_named = 0s;
  for (int i = 0; i < 2000; ++i) {
    const auto own = of({}).fresh_for;
    const auto named = cc("max-age=1000").fresh_for;
    least = std::min(least, own), most = std::max(most, own);
    least_named = std::min(least_named, named), most_named = std::max(most_named, named);
  }
  EXPECT_GE(least, 60s);
  EXPECT_LE(most, 66s);
  EXPECT_GT(most - least, 5s);
  EXPECT_GE(least_named, 970s);
  EXPECT_LE(most_named, 1000s);
  EXPECT_GT(most_named - least_named, 25s);
}

TEST_F(Freshness, IsNeverPastTheOriginsWordAndNeverOverflows) {
  EXPECT_TRUE(rc::check("any numbers and dates", [this] {
    config.ttl_jitter = 30s;
    const auto big = [] { return std::to_string(*rc::gen::arbitrary<std::uint64_t>()); };
    const auto max_age = big();
    const auto life = of({{"Cache-Control", "max-age=" + max_age + ", stale-if-error=" + big()},
                          {"Age", big()},
                          {"Date", "Mon, 01 Jan 0001 00:00:00 GMT"},
                          {"Expires", "Fri, 31 Dec 9999 23:59:59 GMT"}});
    RC_ASSERT(life.fresh_for >= 0s);
    RC_ASSERT(life.fresh_for <= *http::parse_delta_seconds(max_age));
    const WallTime birth = kNow - life.initial_age;
    const WallTime gone = birth + life.fresh_for + life.stale_if_error;
    RC_ASSERT(birth <= kNow && birth >= kNow - Duration(http::kLongest));
    RC_ASSERT(gone >= birth && gone <= birth + 2 * Duration(http::kLongest));
  }));
}

}  // namespace
}  // namespace tanggul::policy
