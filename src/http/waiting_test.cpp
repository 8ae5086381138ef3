// The two fields that speak of waiting: Retry-After of an origin, Prefer of a client.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "http/date.h"
#include "http/delta_seconds.h"
#include "http/prefer.h"
#include "http/retry_after.h"

namespace tanggul::http {
namespace {

using std::chrono::seconds;
constexpr WallTime kNow{seconds(1'700'000'000)};

std::optional<seconds> wait_of(std::vector<HeaderView> headers) {
  RequestHead request;
  request.headers = std::move(headers);
  return prefer_wait(request);
}

TEST(RetryAfter, IsSecondsOrADate) {
  EXPECT_EQ(parse_retry_after("120", kNow), Duration(120s));
  EXPECT_EQ(parse_retry_after(" 0 ", kNow), Duration(0));
  EXPECT_EQ(parse_retry_after(format_date(kNow + 90s), kNow), Duration(90s));
}

TEST(RetryAfter, OfThePastIsZeroAndOfTheFarFutureADay) {
  EXPECT_EQ(parse_retry_after("-7", kNow), Duration(0));
  EXPECT_EQ(parse_retry_after(format_date(kNow - 1h), kNow), Duration(0));
  EXPECT_EQ(parse_retry_after("99999999999999999999", kNow), Duration(24h));
  EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", kNow), Duration(24h));
}

TEST(RetryAfter, SaysNothingWhereItIsNeither) {
  for (const auto* text : {"", "soon", "1.5", "12s", "-", "+5", "1 2"})
    EXPECT_FALSE(parse_retry_after(text, kNow)) << text;
}

TEST(RetryAfter, StaysWithinADayForAnyBytes) {
  EXPECT_TRUE(rc::check("0 ≤ wait ≤ 24 h", [](const std::string& text) {
    const auto wait = parse_retry_after(text, kNow);
    RC_ASSERT(!wait || (*wait >= Duration(0) && *wait <= Duration(24h)));
  }));
}

TEST(Prefer, WaitStandsInAnyCompany) {
  EXPECT_EQ(wait_of({{"Prefer", "wait=10"}}), seconds(10));
  EXPECT_EQ(wait_of({{"Prefer", "respond-async; x=\"a,b\", Wait = \"7\"; y"}}), seconds(7));
  EXPECT_EQ(wait_of({{"Prefer", "return=minimal"}, {"prefer", "wait=3"}}), seconds(3));
  EXPECT_EQ(wait_of({{"Prefer", "wait=1, wait=2"}}), seconds(1));
  EXPECT_EQ(wait_of({{"Prefer", "wait=99999999999999999999"}}), kLongest);
}

TEST(Prefer, WaitNeedsANumberOfItsOwn) {
  EXPECT_FALSE(wait_of({}));
  EXPECT_FALSE(wait_of({{"Prefer", "wait"}}));
  EXPECT_FALSE(wait_of({{"Prefer", "wait=-1"}}));
  EXPECT_FALSE(wait_of({{"Prefer", "handling=lenient; wait=5"}}));
  EXPECT_FALSE(wait_of({{"Prefer", "x=\"wait=5, wait=6\""}}));
}

}  // namespace
}  // namespace tanggul::http
