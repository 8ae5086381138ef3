#include "tanggul/policy/retry_budget.h"

#include <deque>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::policy {
namespace {

int reserve_all(RetryBudget& budget, MonoTime now) {
  int n = 0;
  while (budget.reserve(now)) ++n;
  return n;
}

TEST(RetryBudget, GrantsItsFloorToAnIdleOrigin) {
  RetryBudget budget;
  EXPECT_EQ(reserve_all(budget, MonoTime(1h)), 3);
  budget.release();
  EXPECT_TRUE(budget.reserve(MonoTime(1h)));
}

TEST(RetryBudget, GrantsAFifthOfTheAttempts) {
  RetryBudget budget;
  const MonoTime now(1h);
  for (int i = 0; i < 104; ++i) budget.attempt_started(now);
  EXPECT_EQ(reserve_all(budget, now), 20);
}

TEST(RetryBudget, ForgetsAttemptsThatLeftTheWindow) {
  RetryBudget budget;
  const MonoTime now(1h);
  for (int i = 0; i < 100; ++i) budget.attempt_started(now);
  EXPECT_EQ(budget.allowed(now + 9s), 20U);
  EXPECT_EQ(budget.allowed(now + 10s), 3U);
}

TEST(RetryBudget, SurvivesAReleaseTooMany) {
  RetryBudget budget(0.2, 1);
  budget.release();
  EXPECT_EQ(reserve_all(budget, MonoTime(1h)), 1);
}

TEST(RetryBudget, WithoutRatioAndFloorAllowsNone) {
  RetryBudget budget(0, 0);
  budget.attempt_started(MonoTime(1h));
  EXPECT_FALSE(budget.reserve(MonoTime(1h)));
}

// The oracle keeps every attempt with its time, which the budget does not.
TEST(RetryBudget, NeverGrantsMoreThanItsShareOfAnyWindow) {
  EXPECT_TRUE(rc::check("a grant is within the exact budget", [] {
    RetryBudget budget;
    std::deque<MonoTime> attempts;
    std::size_t held = 0;
    MonoTime now(*rc::gen::inRange(0, 100) * 1s);
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 10), rc::gen::inRange(0, 900)));
    for (const auto& [what, wait] : steps) {
      now += wait * 1ms;
      if (what < 6) {
        for (int i = 0; i < 10; ++i) budget.attempt_started(now), attempts.push_back(now);
      } else if (what < 9) {
        while (!attempts.empty() && attempts.front() <= now - 10s) attempts.pop_front();
        const auto exact = std::max<double>(3, 0.2 * static_cast<double>(attempts.size()));
        if (budget.reserve(now)) RC_ASSERT(static_cast<double>(++held) <= exact);
      } else if (held > 0) {
        budget.release();
        --held;
      }
    }
  }));
}

}  // namespace
}  // namespace tanggul::policy
