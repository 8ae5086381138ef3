#include "tanggul/policy/breaker.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::policy {
namespace {

using enum BreakerSample;
using State = BreakerState;

class BreakerTest : public testing::Test {
 protected:
  void pass(BreakerSample sample, int times = 1) {
    for (int i = 0; i < times; ++i) {
      const auto a = breaker.admit(now, rng);
      ASSERT_TRUE(a.admitted);
      breaker.record(a.ticket, sample, now, rng);
    }
  }
  void trip() {
    pass(failure, 20);
    ASSERT_EQ(breaker.state(now), State::open);
  }
  // Denied now; the time of the next probe, from now.
  Duration wait() {
    const auto a = breaker.admit(now, rng);
    EXPECT_FALSE(a.admitted);
    return a.retry_at - now;
  }
  void cool_down() { now = breaker.next_probe(now); }

  MonoTime now{1h};
  Rng rng{7};
  Breaker breaker{BreakerConfig{}};
};

TEST_F(BreakerTest, OpensAtHalfFailuresOfEnoughRequests) {
  pass(failure, 19);
  EXPECT_EQ(breaker.state(now), State::closed);
  pass(failure);
  EXPECT_EQ(breaker.state(now), State::open);
  EXPECT_EQ(breaker.transitions(State::open), 1U);
  EXPECT_EQ(breaker.since(), now);
}

TEST_F(BreakerTest, StaysClosedBelowTheRatio) {
  for (int i = 0; i < 100; ++i) pass(success, 2), pass(failure), pass(ignored);
  EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, OpensAtExactlyTheRatio) {
  pass(success, 10);
  pass(failure, 9);
  EXPECT_EQ(breaker.state(now), State::closed);
  pass(failure);
  EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, IsNotOpenedByASuccess) {
  pass(failure, 15);
  pass(success, 5);  // now they are enough, and more than half of them failed
  EXPECT_EQ(breaker.state(now), State::closed);
  pass(failure);
  EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, ForgetsFailuresThatLeftTheWindow) {
  pass(failure, 19);
  now += 10s;
  pass(failure, 19);
  EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, StaysOpenForItsTimeShortenedByJitterOnly) {
  trip();
  const auto first = wait();
  EXPECT_GE(first, 12s);
  EXPECT_LE(first, 15s);
  now += first - 1ns;
  EXPECT_EQ(breaker.state(now), State::open);
  EXPECT_FALSE(breaker.would_admit(now));
  now += 1ns;
  EXPECT_EQ(breaker.state(now), State::half_open);
  EXPECT_TRUE(breaker.would_admit(now));
}

TEST_F(BreakerTest, AdmitsOneProbeAtATime) {
  trip();
  cool_down();
  const auto probe = breaker.admit(now, rng);
  ASSERT_TRUE(probe.admitted && probe.ticket.probe);
  EXPECT_EQ(breaker.transitions(State::half_open), 1U);
  EXPECT_GT(wait(), 0s);
  EXPECT_LE(wait(), 1s);  // the probe may be back long before its lease ends
  breaker.record(probe.ticket, success, now, rng);
  EXPECT_TRUE(breaker.admit(now, rng).admitted);
  EXPECT_FALSE(breaker.admit(now, rng).admitted);
}

TEST_F(BreakerTest, ClosesAfterThreeSuccesses) {
  trip();
  cool_down();
  pass(success, 3);
  EXPECT_EQ(breaker.state(now), State::closed);
  EXPECT_EQ(breaker.transitions(State::closed), 1U);
}

TEST_F(BreakerTest, CountsFromNothingOnceClosedThoughTheWindowIsLong) {
  breaker = Breaker({.window = 10min});
  trip();
  cool_down();
  pass(success, 3);
  pass(failure, 19);
  EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, DoublesWhileProbesFailUpToItsCap) {
  trip();
  for (const Duration longest : {Duration(15s), Duration(30s), Duration(60s), Duration(60s)}) {
    EXPECT_LE(wait(), longest);
    EXPECT_GE(wait(), longest * 4 / 5);
    cool_down();
    pass(success, 2);
    pass(failure);
    ASSERT_EQ(breaker.state(now), State::open);
  }
}

TEST_F(BreakerTest, ForgetsTheDoublingOnceClosed) {
  trip();
  cool_down();
  pass(failure);
  cool_down();
  pass(success, 3);
  trip();
  EXPECT_LE(wait(), 15s);
}

TEST_F(BreakerTest, GivesTheProbesPlaceBackWhenItSaysNothing) {
  trip();
  cool_down();
  pass(ignored, 5);
  EXPECT_EQ(breaker.state(now), State::half_open);
  pass(success, 3);
  EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, GivesALostProbesPlaceToTheNext) {
  trip();
  cool_down();
  const auto lost = breaker.admit(now, rng);
  now += 60s;
  const auto next = breaker.admit(now, rng);
  ASSERT_TRUE(next.admitted);
  breaker.record(lost.ticket, failure, now, rng);  // too late: nobody's probe
  EXPECT_EQ(breaker.state(now), State::half_open);
  EXPECT_FALSE(breaker.would_admit(now));
  breaker.record(next.ticket, success, now, rng);
  EXPECT_TRUE(breaker.would_admit(now));
}

TEST_F(BreakerTest, ASuccessThatComesAfterTheProbesLeaseStillCountsOnce) {
  trip();
  cool_down();
  std::vector<Breaker::Ticket> slow;
  for (int i = 0; i < 3; ++i) {
    slow.push_back(breaker.admit(now, rng).ticket);
    now += 60s;
  }
  for (int i = 0; i < 3; ++i) breaker.record(slow[0], success, now, rng);
  EXPECT_EQ(breaker.state(now), State::half_open);
  breaker.record(slow[1], success, now, rng);
  breaker.record(slow[2], success, now, rng);
  EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, WhatRunsAtAForgottenOriginTellsNothing) {
  const auto early = breaker.admit(now, rng).ticket;
  breaker.forget(now);
  for (int i = 0; i < 40; ++i) breaker.record(early, failure, now, rng);
  EXPECT_EQ(breaker.state(now), State::closed);
  trip();
  cool_down();
  const auto probe = breaker.admit(now, rng).ticket;
  breaker.forget(now);
  EXPECT_EQ(breaker.state(now), State::closed);
  trip();
  cool_down();
  breaker.record(probe, failure, now, rng);
  EXPECT_EQ(breaker.state(now), State::half_open);
}

TEST_F(BreakerTest, HeedsNoTicketOfAnEarlierGeneration) {
  std::vector<Breaker::Ticket> slow;
  for (int i = 0; i < 50; ++i) slow.push_back(breaker.admit(now, rng).ticket);
  trip();
  cool_down();
  for (int i = 0; i < 25; ++i) breaker.record(slow[i], success, now, rng);
  EXPECT_EQ(breaker.state(now), State::half_open);
  pass(success, 3);
  for (int i = 25; i < 50; ++i) breaker.record(slow[i], failure, now, rng);
  EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, CountsOneResultATicketOfAProbe) {
  trip();
  cool_down();
  const auto probe = breaker.admit(now, rng);
  for (int i = 0; i < 3; ++i) breaker.record(probe.ticket, success, now, rng);
  EXPECT_EQ(breaker.state(now), State::half_open);
}

// Any schedule: attempts start, end in any order with any result, or are lost; time passes.
class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : rng_(seed), breaker_(BreakerConfig{}) {}

  void step() {
    const auto dice = rng_.bits() % 10;
    if (dice < 5) {
      start();
    } else if (dice < 9) {
      end(static_cast<BreakerSample>(rng_.bits() % 3));
    } else {
      now_ += rng_.upto(20s);
    }
  }
  void start() {
    const bool half_open = breaker_.state(now_) == State::half_open;
    const bool would = breaker_.would_admit(now_);
    const auto a = breaker_.admit(now_, rng_);
    RC_ASSERT(a.admitted == would);
    if (!a.admitted) {
      RC_ASSERT(a.retry_at > now_);
      RC_ASSERT(a.retry_at <= now_ + 60s);
      return;
    }
    RC_ASSERT(a.ticket.probe == half_open);
    if (a.ticket.probe) {
      RC_ASSERT(now_ >= probe_until_ || a.ticket.generation != probe_.generation);
      probe_ = a.ticket;
      probe_until_ = now_ + 60s;
    }
    running_.push_back(a.ticket);
  }
  void end(BreakerSample sample) {
    if (running_.empty()) return;
    const auto i = rng_.bits() % running_.size();
    const auto ticket = running_[i];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    if (rng_.bits() % 4 == 0) return;  // lost
    breaker_.record(ticket, sample, now_, rng_);
    if (ticket.probe && ticket.probe_id == probe_.probe_id) probe_until_ = now_;
  }
  // A healthy origin from here on: whoever is denied comes back when it was told to.
  bool closes_again() {
    for (int tries = 0; tries < 200; ++tries) {
      if (breaker_.state(now_) == State::closed) return true;
      const auto a = breaker_.admit(now_, rng_);
      if (a.admitted)
        breaker_.record(a.ticket, success, now_, rng_);
      else
        now_ = a.retry_at;
    }
    return false;
  }

 private:
  MonoTime now_{1h};
  Rng rng_;
  Breaker breaker_;
  std::vector<Breaker::Ticket> running_;
  Breaker::Ticket probe_;
  MonoTime probe_until_;
};

TEST(BreakerProperty, NoScheduleKeepsItFromClosingAgainOrProbesTwiceAtOnce) {
  EXPECT_TRUE(rc::check("any schedule", [](std::uint64_t seed) {
    Schedule schedule(seed);
    for (int i = 0; i < 2000; ++i) schedule.step();
    RC_ASSERT(schedule.closes_again());
  }));
}

TEST_F(BreakerTest, OtherNumbersKeepWhatIsKnown) {
  trip();
  BreakerConfig other;
  other.min_requests = 2;
  other.open_for = 30s;
  breaker.configure(other);
  EXPECT_EQ(breaker.state(now), State::open);
  EXPECT_LE(wait(), 15s);  // it had opened for so long
  cool_down();
  pass(failure);
  EXPECT_GT(wait(), 24s);  // from now on by the new numbers: twice 30 s, less its jitter
  cool_down();
  pass(success, 3);
  pass(failure, 2);
  EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, AnotherWindowStartsCountingAnew) {
  pass(failure, 19);
  BreakerConfig other;
  other.window = 20s;
  breaker.configure(other);
  pass(failure);
  EXPECT_EQ(breaker.state(now), State::closed);
  pass(failure, 19);
  EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, AnOutageIsAsOldAsItsFirstOpening) {
  trip();
  const MonoTime began = now;
  for (int i = 0; i < 5; ++i) {
    cool_down();
    pass(failure);
    EXPECT_EQ(breaker.since(), began);
  }
  cool_down();
  pass(success, 3);
  EXPECT_EQ(breaker.since(), now);
}

}  // namespace
}  // namespace tanggul::policy
