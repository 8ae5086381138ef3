#include "tanggul/http/cache_control.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "http/delta_seconds.h"

namespace tanggul::http {
namespace {

using std::chrono::seconds;
using Names = std::vector<std::string>;

TEST(CacheControl, ReadsNamesInAnyCase) {
  const auto cc = parse_cache_control("Public, MAX-AGE=60 ,s-maxage=\"120\", Must-Revalidate,,x=1");
  EXPECT_TRUE(cc.present && cc.is_public && cc.must_revalidate);
  EXPECT_FALSE(cc.no_store || cc.is_private || cc.invalid_age);
  EXPECT_EQ(cc.max_age, seconds(60));
  EXPECT_EQ(cc.s_maxage, seconds(120));
}

TEST(CacheControl, IsAbsentWhereNothingIsSaid) {
  EXPECT_FALSE(parse_cache_control("").present);
  EXPECT_FALSE(parse_cache_control(" , ,").present);
}

TEST(CacheControl, CallsAnAgeInvalidThatIsNoNumberOrStandsTwice) {
  for (const auto* text : {"max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=x",
                           "max-age=60, max-age=70", "s-maxage=1h", "max-age=\"60", "max-age= 60"})
    EXPECT_TRUE(parse_cache_control(text).invalid_age) << text;
  EXPECT_EQ(parse_cache_control("max-age=60, max-age=70").max_age, seconds(60));
  EXPECT_FALSE(parse_cache_control("x-max-age=oops").invalid_age);
}

TEST(CacheControl, HoldsAnAgeTooLargeAtTheLongest) {
  EXPECT_EQ(parse_cache_control("max-age=99999999999999999999999").max_age, kLongest);
  EXPECT_EQ(parse_cache_control("max-age=2147483648").max_age, kLongest);
  EXPECT_EQ(parse_cache_control("max-age=2147483647").max_age, kLongest - seconds(1));
}

TEST(CacheControl, KeepsQualifiedFormsApartFromTheWhole) {
  const auto cc = parse_cache_control("no-cache=\"Set-Cookie, X-A\", private=\"X-B\", no-store");
  EXPECT_FALSE(cc.no_cache || cc.is_private);
  EXPECT_TRUE(cc.no_store);
  EXPECT_EQ(cc.no_cache_fields, (Names{"set-cookie", "x-a"}));
  EXPECT_EQ(cc.private_fields, (Names{"x-b"}));
  EXPECT_TRUE(parse_cache_control("private=\"\"").is_private);
  EXPECT_TRUE(parse_cache_control("no-cache=\"X\", no-cache").no_cache);
}

TEST(CacheControl, SeesADirectiveBehindAnOpenQuote) {
  EXPECT_TRUE(parse_cache_control("ext=\"open, no-store").no_store);
  EXPECT_TRUE(parse_cache_control("ext=\"a\\\", private").is_private);
  EXPECT_FALSE(parse_cache_control("ext=\"a, no-store, b\"").no_store);
}

TEST(CacheControl, ReadsWhatARequestMaySay) {
  const auto cc = parse_cache_control("max-stale, min-fresh=5, only-if-cached, stale-if-error=9");
  EXPECT_EQ(cc.max_stale, seconds::max());
  EXPECT_EQ(cc.min_fresh, seconds(5));
  EXPECT_EQ(cc.stale_if_error, seconds(9));
  EXPECT_TRUE(cc.only_if_cached);
  EXPECT_EQ(parse_cache_control("max-stale=30").max_stale, seconds(30));
  EXPECT_FALSE(parse_cache_control("max-stale=soon").max_stale);
}

TEST(CacheControl, OfARequestFallsBackToPragma) {
  RequestHead request;
  request.headers = {{"Pragma", "no-cache"}};
  EXPECT_TRUE(request_cache_control(request).no_cache);
  request.headers.push_back({"Cache-Control", "max-stale"});
  EXPECT_FALSE(request_cache_control(request).no_cache);
}

TEST(CacheControl, IsReadInOnePassHoweverManyQuotesAreOpen) {
  // Every quote searches for its end in vain: quadratic would run into the test's time limit.
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "\\\",";
  parse_cache_control(text);
  parse_cache_control(std::string(1'000'001, '"'));
}

TEST(CacheControl, FindsNoStoreInAnyCompany) {
  EXPECT_TRUE(rc::check("no-store between arbitrary unquoted members is seen", [](std::string a) {
    std::erase(a, '"');
    const auto cc = parse_cache_control(a + ",no-store," + a);
    RC_ASSERT(cc.no_store);
  }));
}

}  // namespace
}  // namespace tanggul::http
