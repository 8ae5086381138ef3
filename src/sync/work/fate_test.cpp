#include "sync/work/fate.h"

#include <gtest/gtest.h>

namespace tanggul::sync {
namespace {

using ports::Job;
using ports::Settlement;
using Kind = Settlement::Kind;

constexpr WallTime kNow{1'000'000s};

class Fate : public testing::Test {
 protected:
  Settlement of(JobEnd end, const Job& job = {}, std::optional<Duration> retry_after = {}) {
    return fate({end, "why", retry_after}, job, small_, "v2", config_, kNow, rng_);
  }
  Settlement in_large(JobEnd end, const Job& job) {
    return fate({end, "why"}, job, large_, "v2", config_, kNow, rng_);
  }

  FateConfig config_;
  Pool small_ = default_pools()[0], large_ = default_pools()[1];
  Rng rng_{7};
};

TEST_F(Fate, WhatHasEndedWellOrForGoodIsDone) {
  for (const JobEnd end : {JobEnd::changed, JobEnd::unchanged, JobEnd::empty, JobEnd::gone})
    EXPECT_EQ(of(end).kind, Kind::done) << name(end);
}

TEST_F(Fate, AFailureOfItsOwnUsesAnAttemptUntilNoneIsLeft) {
  for (const JobEnd end : {JobEnd::transient, JobEnd::crashed}) {
    Job job;
    for (int used = 1; used < config_.retry.attempts; ++used) {
      const Settlement next = of(end, job);
      ASSERT_EQ(next.kind, Kind::later) << name(end) << used;
      EXPECT_EQ(next.job.attempts, used);
      EXPECT_GE(next.due, kNow);
      EXPECT_LE(next.due, kNow + config_.retry.base * (1 << (used - 1)));
      EXPECT_EQ(next.job.failure, name(end));
      EXPECT_EQ(next.job.release, "v2");
      job = next.job;
    }
    const Settlement last = of(end, job);
    EXPECT_EQ(last.kind, Kind::dead);
    EXPECT_EQ(last.job.failure, "poison");
    EXPECT_EQ(last.job.detail, "5 attempts; the last: why");
  }
}

TEST_F(Fate, WhatIsNotItsFaultUsesNoAttemptHoweverOften) {
  Job job;
  job.enqueued = kNow;
  for (int i = 0; i < 1000; ++i) {
    const Settlement next = of(JobEnd::busy, job);
    ASSERT_EQ(next.kind, Kind::later);
    ASSERT_EQ(next.job.attempts, 0);
    ASSERT_GE(next.due, kNow + config_.rest / 2);
    ASSERT_LE(next.due, kNow + config_.rest);
    job = next.job;
  }
}

TEST_F(Fate, WhatIsBusyForMoreThanAWeekIsKeptApart) {
  Job job;
  job.enqueued = kNow - 7 * 24h;
  EXPECT_EQ(of(JobEnd::busy, job).kind, Kind::later);
  job.enqueued -= 1s;
  EXPECT_EQ(of(JobEnd::busy, job).kind, Kind::dead);
}

TEST_F(Fate, WhatTheForgeHasSaidIsWaitedForInFullAndNotTogether) {
  Job job;
  job.enqueued = kNow;
  const WallTime first = of(JobEnd::busy, job, 1h).due, second = of(JobEnd::busy, job, 1h).due;
  for (const WallTime due : {first, second}) {
    EXPECT_GE(due, kNow + 1h);
    EXPECT_LE(due, kNow + 1h + 12min);
  }
  EXPECT_NE(first, second);
}

TEST_F(Fate, WhatWasDrainedIsDueAtOnceAndAsItWas) {
  Job job;
  job.attempts = 2;
  job.failure = "transient";
  const Settlement next = of(JobEnd::drained, job);
  EXPECT_EQ(next.kind, Kind::later);
  EXPECT_EQ(next.due, kNow);
  EXPECT_EQ(next.job.attempts, 2);
  EXPECT_EQ(next.job.failure, "transient");
}

TEST_F(Fate, WhatIsTooMuchGoesToTheLargerPoolOnceAndThenIntoQuarantine) {
  for (const JobEnd end : {JobEnd::oversize, JobEnd::oom, JobEnd::timeout}) {
    const Settlement moved = of(end);
    ASSERT_EQ(moved.kind, Kind::handed_on) << name(end);
    EXPECT_EQ(moved.queue, "repo_clone_large");
    EXPECT_EQ(moved.job.handed_on_by, "repo_clone");
    const Settlement kept = in_large(end, moved.job);
    EXPECT_EQ(kept.kind, Kind::dead);
    EXPECT_EQ(kept.job.failure, "quarantine");
    // Put into the first queue again by hand, it does not start over.
    EXPECT_EQ(of(end, moved.job).kind, Kind::dead);
  }
}

TEST_F(Fate, TheNamesOfEndsAreReadBack) {
  for (std::size_t i = 0; i < kJobEnds; ++i) {
    const auto end = static_cast<JobEnd>(i);
    EXPECT_EQ(job_end_of(name(end)), end);
  }
  EXPECT_EQ(job_end_of("dead"), std::nullopt);
}

}  // namespace
}  // namespace tanggul::sync
