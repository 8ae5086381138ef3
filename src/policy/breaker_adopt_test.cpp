#include <gtest/gtest.h>

#include "tanggul/policy/breaker.h"

namespace tanggul::policy {
namespace {

using enum BreakerSample;
using State = BreakerState;

class AdoptTest : public testing::Test {
 protected:
  Breaker::Told open(Duration left) { return {.closed = false, .open_until = now + left}; }

  MonoTime now{1h};
  Rng rng{7};
  Breaker breaker{BreakerConfig{}};
};

TEST_F(AdoptTest, IsOpenAsLongAsItIsElsewhere) {
  breaker.adopt(open(10s), now);
  EXPECT_EQ(breaker.state(now), State::open);
  EXPECT_EQ(breaker.next_probe(now), now + 10s);
  EXPECT_EQ(breaker.state(now + 10s), State::half_open);
  EXPECT_TRUE(breaker.would_admit(now + 10s));
}

TEST_F(AdoptTest, TellingItAgainIsNoNewOutage) {
  for (int i = 0; i < 3; ++i) breaker.adopt(open(10s), now += 10ms);
  EXPECT_EQ(breaker.transitions(State::open), 1U);
}

TEST_F(AdoptTest, ClosesWhenItIsClosedElsewhere) {
  breaker.adopt(open(10s), now);
  breaker.adopt({}, now + 1s);
  EXPECT_EQ(breaker.state(now + 1s), State::closed);
  breaker.adopt({}, now + 2s);
  EXPECT_EQ(breaker.transitions(State::closed), 1U);
}

TEST_F(AdoptTest, AdmitsNobodyBesideAProbeThatRunsElsewhereUntilThatMustHaveEnded) {
  Breaker::Told probing = open(0s);
  probing.probed_until = now + 60s;
  breaker.adopt(probing, now);
  EXPECT_EQ(breaker.state(now), State::half_open);
  EXPECT_FALSE(breaker.would_admit(now));
  EXPECT_EQ(breaker.next_probe(now), now + 1s);  // it may end at any time
  EXPECT_TRUE(breaker.would_admit(now + 60s));
  breaker.adopt(open(0s), now);  // it has ended
  EXPECT_TRUE(breaker.would_admit(now));
}

TEST_F(AdoptTest, AnAttemptOfBeforeTellsNothing) {
  const auto before = breaker.admit(now, rng);
  breaker.adopt(open(0s), now);
  breaker.record(before.ticket, failure, now, rng);
  EXPECT_EQ(breaker.state(now), State::half_open);
}

}  // namespace
}  // namespace tanggul::policy
