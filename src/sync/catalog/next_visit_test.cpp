#include "sync/catalog/next_visit.h"

#include <gtest/gtest.h>

namespace tanggul::sync {
namespace {

constexpr WallTime kStart = WallTime(std::chrono::hours(480'000));
constexpr Duration kDay = 24h;

TEST(NextVisit, ComesADayAfterAChange) {
  const Pace pace = after_visit({}, Outcome::changed, kStart);
  EXPECT_EQ(pace, (Pace{0, kStart, kStart + kDay}));
}

TEST(NextVisit, StaysAwayTwiceAsLongEachTimeThatNothingHasChanged) {
  Pace pace = after_visit({}, Outcome::changed, kStart);
  for (const int days : {1, 2, 4, 8, 14, 14, 14}) {
    const WallTime at = *pace.next;
    pace = after_visit(pace, Outcome::unchanged, at);
    EXPECT_EQ(*pace.next - at, days * kDay) << days;
  }
  pace = after_visit(pace, Outcome::changed, *pace.next);
  EXPECT_EQ(*pace.next - *pace.last, kDay);
  EXPECT_EQ(pace.unchanged, 0);
}

TEST(NextVisit, StaysAwayLongerWhereItFailedAndLongestWhereThereIsNothing) {
  EXPECT_EQ(*after_visit({}, Outcome::failed, kStart).next, kStart + 14 * kDay);
  EXPECT_EQ(*after_visit({}, Outcome::not_found, kStart).next, kStart + 31 * kDay);
}

TEST(NextVisit, AJobThatIsDoneTwiceDoesNotSlowThePace) {
  const Pace once = after_visit({}, Outcome::changed, kStart);
  const Pace twice = after_visit(once, Outcome::unchanged, kStart + 1min);
  EXPECT_EQ(twice, (Pace{0, kStart + 1min, kStart + kDay}));
  // Nor does one that was late put the clock back.
  EXPECT_EQ(after_visit(twice, Outcome::unchanged, kStart), twice);
}

TEST(NextVisit, NoNumberOfVisitsOverflows) {
  const Pace pace = after_visit({INT64_MAX - 1, kStart, kStart}, Outcome::unchanged, kStart + kDay);
  EXPECT_EQ(*pace.next, kStart + 15 * kDay);
}

}  // namespace
}  // namespace tanggul::sync
