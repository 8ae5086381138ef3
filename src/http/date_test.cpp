#include "http/date.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::http {
namespace {

constexpr WallTime kExample{std::chrono::seconds(784111777)};  // RFC 9110's own example
constexpr WallTime kNow{std::chrono::seconds(1'750'000'000)};  // June 2025

TEST(HttpDate, ReadsItsThreeForms) {
  EXPECT_EQ(parse_date("Sun, 06 Nov 1994 08:49:37 GMT"), kExample);
  EXPECT_EQ(parse_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_date("Sun Nov  6 08:49:37 1994"), kExample);
  EXPECT_EQ(parse_date("  sun, 06 nov 1994 08:49:37 gmt "), kExample);
}

TEST(HttpDate, RefusesWhatIsNone) {
  for (const auto* text :
       {"", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:4:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 GMT+2", "Sunday, 06-Nov-1994 08:49:37 GMT"})
    EXPECT_FALSE(parse_date(text, kNow)) << text;
}

TEST(HttpDate, PutsTwoDigitsAtMostFiftyYearsAhead) {
  const auto year = [](WallTime t) { return format_date(t).substr(12, 4); };
  EXPECT_EQ(year(*parse_date("Monday, 01-Jan-75 00:00:00 GMT", kNow)), "2075");
  EXPECT_EQ(year(*parse_date("Monday, 01-Jan-76 00:00:00 GMT", kNow)), "1976");
  EXPECT_EQ(year(*parse_date("Monday, 01-Jan-25 00:00:00 GMT", kNow)), "2025");
}

TEST(HttpDate, HoldsFarYearsWhereTheyStillCanBeSubtracted) {
  const auto far = *parse_date("Fri, 31 Dec 9999 23:59:59 GMT");
  const auto old = *parse_date("Mon, 01 Jan 0001 00:00:00 GMT");
  EXPECT_EQ(format_date(far), "Wed, 01 Jan 2200 00:00:00 GMT");
  EXPECT_EQ(old, WallTime());
  EXPECT_GT(far - old, Duration(24h * 365 * 200));
}

TEST(HttpDate, ComesBackAsItWasWritten) {
  EXPECT_EQ(format_date(kExample + 999ms), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_TRUE(rc::check("format then parse is the same second", [] {
    const WallTime t{std::chrono::seconds(*rc::gen::inRange<std::int64_t>(0, 7'000'000'000))};
    RC_ASSERT(parse_date(format_date(t)) == t);
  }));
}

TEST(HttpDate, NeverFallsOverStrayBytes) {
  EXPECT_TRUE(rc::check("a damaged date is a date or none", [] {
    std::string text = format_date(kExample);
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    text.resize(*rc::gen::inRange<std::size_t>(0, text.size() + 1));
    const auto t = parse_date(text);
    if (t) RC_ASSERT(*t >= WallTime());
  }));
}

}  // namespace
}  // namespace tanggul::http
