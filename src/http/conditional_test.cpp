#include "http/conditional.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::http {
namespace {

constexpr auto kEarly = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr auto kMiddle = "Mon, 07 Nov 1994 08:49:37 GMT";
constexpr auto kLate = "Tue, 08 Nov 1994 08:49:37 GMT";

const Headers kStored({{"ETag", "\"v1\""}, {"Last-Modified", kMiddle}});

Condition ask(std::vector<HeaderView> headers, const Headers& stored = kStored, int status = 200,
              std::string_view method = "GET") {
  RequestHead request;
  request.method = method;
  request.headers = std::move(headers);
  return evaluate(request, status, stored);
}

TEST(ETag, WeakComparisonIgnoresWeakness) {
  EXPECT_TRUE(etag_matches_weak("\"a\", W/\"b\"", "\"b\""));
  EXPECT_TRUE(etag_matches_weak("\"b\"", "W/\"b\""));
  EXPECT_TRUE(etag_matches_weak(" * ", "\"x\""));
  EXPECT_FALSE(etag_matches_weak("\"a\", \"c\"", "\"b\""));
  EXPECT_FALSE(etag_matches_weak("\"a\"", ""));
  EXPECT_FALSE(etag_matches_weak("", "\"a\""));
}

TEST(ETag, StrongComparisonRefusesWeakTags) {
  EXPECT_TRUE(etag_matches_strong("\"a\",\"b\"", "\"b\""));
  EXPECT_FALSE(etag_matches_strong("W/\"b\"", "W/\"b\""));
  EXPECT_FALSE(etag_matches_strong("W/\"b\"", "\"b\""));
}

TEST(ETag, HoldsCommasAndBackslashes) {
  EXPECT_TRUE(etag_matches_weak("\"a,b\", \"c\"", "\"a,b\""));
  EXPECT_FALSE(etag_matches_weak("\"a,b\"", "\"a\""));
  EXPECT_TRUE(etag_matches_weak("\"a\\\", \"b\"", "\"b\""));
  EXPECT_TRUE(etag_matches_weak("bare, tags", "tags"));
}

TEST(ETag, IsFoundWhereverItStandsInAList) {
  EXPECT_TRUE(rc::check("any list ends, and a member of it is found", [](std::string noise) {
    etag_matches_weak(noise, "\"x\"");
    std::erase(noise, '"');
    RC_ASSERT(etag_matches_strong("\"" + noise + "\" , \"x\"", "\"x\""));
  }));
}

TEST(Condition, NoneMatchedMeansNotModified) {
  EXPECT_EQ(ask({{"If-None-Match", "\"v1\""}}), Condition::not_modified);
  EXPECT_EQ(ask({{"If-None-Match", "\"v0\""}, {"if-none-match", "W/\"v1\""}}),
            Condition::not_modified);
  EXPECT_EQ(ask({{"If-None-Match", "*"}}), Condition::not_modified);
  EXPECT_EQ(ask({{"If-None-Match", "\"v2\""}}), Condition::none);
}

TEST(Condition, IfNoneMatchSilencesIfModifiedSince) {
  EXPECT_EQ(ask({{"If-None-Match", "\"v2\""}, {"If-Modified-Since", kLate}}), Condition::none);
}

TEST(Condition, IfModifiedSinceComparesDates) {
  EXPECT_EQ(ask({{"If-Modified-Since", kMiddle}}), Condition::not_modified);
  EXPECT_EQ(ask({{"If-Modified-Since", kEarly}}), Condition::none);
  EXPECT_EQ(ask({{"If-Modified-Since", "yesterday"}}), Condition::none);
  EXPECT_EQ(ask({{"If-Modified-Since", kLate}, {"If-Modified-Since", kLate}}), Condition::none);
  EXPECT_EQ(ask({{"If-Modified-Since", kLate}}, Headers({{"Date", kMiddle}})),
            Condition::not_modified);
  EXPECT_EQ(ask({{"If-Modified-Since", kLate}}, Headers()), Condition::none);
}

TEST(Condition, IfMatchComesFirstAndSilencesIfUnmodifiedSince) {
  EXPECT_EQ(ask({{"If-Match", "\"v2\""}, {"If-None-Match", "\"v1\""}}), Condition::failed);
  EXPECT_EQ(ask({{"If-Match", "\"v1\""}, {"If-Unmodified-Since", kEarly}}), Condition::none);
  EXPECT_EQ(ask({{"If-Match", "\"v1\""}, {"If-None-Match", "\"v1\""}}), Condition::not_modified);
  EXPECT_EQ(ask({{"If-Match", "*"}}), Condition::none);
}

TEST(Condition, IfUnmodifiedSinceFailsOnceModified) {
  EXPECT_EQ(ask({{"If-Unmodified-Since", kEarly}}), Condition::failed);
  EXPECT_EQ(ask({{"If-Unmodified-Since", kMiddle}}), Condition::none);
  EXPECT_EQ(ask({{"If-Unmodified-Since", kEarly}}, Headers()), Condition::none);
}

TEST(Condition, IsOnlyForReadsOfAWholeResponse) {
  EXPECT_EQ(ask({{"If-None-Match", "\"v1\""}}, kStored, 404), Condition::none);
  EXPECT_EQ(ask({{"If-None-Match", "\"v1\""}}, kStored, 200, "PUT"), Condition::none);
  EXPECT_EQ(ask({{"If-None-Match", "\"v1\""}}, kStored, 200, "HEAD"), Condition::not_modified);
}

TEST(IfRange, HoldsForTheSameStrongTagOnly) {
  EXPECT_TRUE(if_range_holds("\"v1\"", kStored));
  EXPECT_FALSE(if_range_holds("\"v2\"", kStored));
  EXPECT_FALSE(if_range_holds("W/\"v1\"", kStored));
  EXPECT_FALSE(if_range_holds("W/\"v1\"", Headers({{"ETag", "W/\"v1\""}})));
  EXPECT_FALSE(if_range_holds("\"v1\"", Headers({{"ETag", "W/\"v1\""}})));
  EXPECT_FALSE(if_range_holds("", kStored));
}

TEST(IfRange, HoldsForTheSameDateWhereThatIsStrong) {
  const Headers strong({{"Last-Modified", kMiddle}, {"Date", kLate}});
  EXPECT_TRUE(if_range_holds(kMiddle, strong));
  EXPECT_FALSE(if_range_holds(kEarly, strong));
  EXPECT_FALSE(if_range_holds(kLate, strong));
  EXPECT_FALSE(if_range_holds(kMiddle, Headers({{"Last-Modified", kMiddle}})));
  EXPECT_FALSE(if_range_holds(kMiddle, Headers({{"Last-Modified", kMiddle}, {"Date", kMiddle}})));
}

}  // namespace
}  // namespace tanggul::http
