#pragma once

// What every engine of ports::Queue keeps to. A test of an engine includes this once and says
//   INSTANTIATE_TEST_SUITE_P(Engine, QueueConformance, testing::Values(engine()), name_of_engine);

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ports/queue.h"
#include "support/eventually.h"
#include "support/forked.h"

namespace tanggul::test {

// Where the queues of one test are kept, with none in it at first.
class QueuePlace {
 public:
  virtual ~QueuePlace() = default;
  // As one more process would.
  virtual std::unique_ptr<ports::Queue> open() = 0;
};

struct QueueEngine {
  std::string name;
  bool unique_keys = false;  // it takes no second job of a key
  int deliveries = 0;        // its limit
  std::function<std::unique_ptr<QueuePlace>()> make_place;
};

inline std::string name_of_engine(const testing::TestParamInfo<QueueEngine>& of) {
  return of.param.name;
}

// gtest prints it where a test fails.
inline void PrintTo(const QueueEngine& engine, std::ostream* out) { *out << engine.name; }

class QueueConformance : public testing::TestWithParam<QueueEngine> {
 protected:
  using Queue = ports::Queue;
  using Held = Queue::Held;
  using Enqueued = Queue::Enqueued;
  using Kind = ports::Settlement::Kind;
  using Job = ports::Job;
  using Claim = ports::Claim;

  static constexpr Duration kLong = 1h;       // a lease that no test outlives
  static constexpr Duration kAtOnce = 1ms;    // a lease that has lapsed when one looks
  static constexpr Duration kPatience = 60s;  // for what must come, against hangs

  // A test that forks does so before it asks for the queue.
  Queue& queue() {
    if (!queue_) queue_ = place_->open();
    return *queue_;
  }
  std::unique_ptr<Queue> another() { return place_->open(); }

  static Job job(const std::string& key) {
    return {.key = key, .body = "body of " + key, .enqueued = WallTime(1'700'000'000s)};
  }
  Enqueued put(const Job& job, const std::string& name = "q") {
    return queue().enqueue(name, job, wall_now()).value();
  }
  std::optional<Claim> look(const std::string& name = "q") {
    return queue().claim(name, kLong, 0s).value();
  }
  // What must come.
  Claim take(const std::string& name = "q", Duration lease = kLong) {
    auto claim = queue().claim(name, lease, kPatience).value();
    if (!claim) throw std::runtime_error("nothing came from " + name);
    return *claim;
  }
  Claim put_and_take(const std::string& key, Duration lease = kLong) {
    put(job(key));
    return take("q", lease);
  }
  Held settle(const Claim& claim, const ports::Settlement& settlement = {}) {
    return queue().settle(claim, settlement).value();
  }
  ports::QueueFigures figures(const std::string& name = "q") {
    return queue().figures(name).value();
  }
  std::vector<std::string> keys_of_dead(std::size_t at_most = 100) {
    std::vector<std::string> keys;
    for (const Job& each : queue().dead("q", at_most).value()) keys.push_back(each.key);
    return keys;
  }
  void die(const std::string& key) {
    Claim claim = put_and_take(key);
    claim.job.failure = "timeout";
    claim.job.attempts = 5;
    ASSERT_EQ(settle(claim, {.kind = Kind::dead, .job = claim.job}), Held::yes);
  }
  static std::string counts(const ports::QueueFigures& of) {
    return std::to_string(of.ready) + " ready, " + std::to_string(of.claimed) + " claimed, " +
           std::to_string(of.parked) + " parked, " + std::to_string(of.dead) + " dead";
  }
  static void expect_same(const Job& a, const Job& b) {
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.body, b.body);
    EXPECT_EQ(a.attempts, b.attempts);
    EXPECT_EQ(a.handed_on_by, b.handed_on_by);
    EXPECT_EQ(a.enqueued, b.enqueued);
    EXPECT_EQ(a.failure, b.failure);
    EXPECT_EQ(a.detail, b.detail);
    EXPECT_EQ(a.release, b.release);
  }
  static Job full_job() {
    return {.key = "https://example.org/Ünïcode",
            .body = std::string("a\0b\n\"'$1 漢", 13),
            .attempts = 3,
            .handed_on_by = "small",
            .enqueued = WallTime(1'700'000'000s + 123456us),
            .failure = "timeout",
            .detail = "It took longer than 60 s: 日本.",
            .release = "v2.4.0"};
  }

  const std::unique_ptr<QueuePlace> place_ = GetParam().make_place();
  std::unique_ptr<Queue> queue_;
};

TEST_P(QueueConformance, WhatIsEnqueuedIsClaimedAsItWas) {
  EXPECT_EQ(put(full_job()), Enqueued::added);
  const Claim claim = take();
  EXPECT_EQ(claim.queue, "q");
  EXPECT_EQ(claim.deliveries, 1);
  expect_same(claim.job, full_job());
}

TEST_P(QueueConformance, ABodyMayBeAsLongAsItsLimitAndNoLonger) {
  Job large = job("large");
  large.body.assign(64 * 1024, 'x');
  EXPECT_EQ(put(large), Enqueued::added);
  EXPECT_EQ(take().job.body, large.body);
  large = job("larger");
  large.body.assign(64 * 1024 + 1, 'x');
  EXPECT_EQ(queue().enqueue("q", large, wall_now()).error().code, Errc::bad_input);
  EXPECT_EQ(counts(figures()), "0 ready, 1 claimed, 0 parked, 0 dead");
}

TEST_P(QueueConformance, ATextThatIsNoUtf8IsRefused) {
  for (const auto field :
       {&Job::key, &Job::body, &Job::handed_on_by, &Job::failure, &Job::detail, &Job::release}) {
    Job bad = job("a");
    bad.*field = "\xC3(";
    EXPECT_EQ(queue().enqueue("q", bad, wall_now()).error().code, Errc::bad_input);
  }
  EXPECT_FALSE(look());
  const Claim claim = put_and_take("a");
  Job bad = claim.job;
  bad.detail = "\xFF";
  for (const Kind kind : {Kind::later, Kind::dead, Kind::handed_on})
    EXPECT_EQ(queue().settle(claim, {.kind = kind, .job = bad, .queue = "other"}).error().code,
              Errc::bad_input);
  EXPECT_EQ(settle(claim), Held::yes);
}

TEST_P(QueueConformance, WhatWasDueFirstIsClaimedFirst) {
  const WallTime now = wall_now();
  for (const int ago : {3, 5, 1, 4, 2})
    queue().enqueue("q", job(std::to_string(ago)), now - ago * 1s).value();
  std::string order;
  while (const auto claim = look()) order += claim->job.key;
  EXPECT_EQ(order, "54321");
}

TEST_P(QueueConformance, WhatIsParkedIsClaimedWhenItIsDueAndNotBefore) {
  const WallTime due = wall_now() + 300ms;
  queue().enqueue("q", job("a"), due).value();
  EXPECT_FALSE(look());
  EXPECT_EQ(take().job.key, "a");
  EXPECT_GE(wall_now() + 1us, due);
}

TEST_P(QueueConformance, AnEmptyQueueGivesNothingAfterTheWait) {
  const MonoTime began = MonoClock::now();
  EXPECT_FALSE(queue().claim("q", kLong, 50ms).value());
  EXPECT_GE(MonoClock::now() - began, 50ms);
}

TEST_P(QueueConformance, QueuesAreApart) {
  put(job("a"), "one");
  EXPECT_FALSE(look("two"));
  EXPECT_EQ(put(job("a"), "two"), Enqueued::added);
  EXPECT_EQ(figures("one").ready, 1U);
  EXPECT_EQ(take("one").job.key, "a");
  EXPECT_EQ(figures("two").ready, 1U);
}

TEST_P(QueueConformance, WhatIsEnqueuedIsThereForEveryOther) {
  put(job("a"));
  queue_.reset();
  EXPECT_EQ(another()->claim("q", kLong, kPatience).value()->job.key, "a");
}

TEST_P(QueueConformance, AKeyIsInAQueueOnce) {
  if (!GetParam().unique_keys) GTEST_SKIP() << "this engine cannot tell";
  EXPECT_EQ(put(job("a")), Enqueued::added);
  EXPECT_EQ(put(job("a")), Enqueued::present);
  const Claim claim = take();
  EXPECT_EQ(put(job("a")), Enqueued::present);
  settle(claim);
  EXPECT_FALSE(look());
  EXPECT_EQ(put(job("a")), Enqueued::added);
}

TEST_P(QueueConformance, WhatIsPresentStaysAsItWas) {
  if (!GetParam().unique_keys) GTEST_SKIP() << "this engine cannot tell";
  put(full_job());
  Job second = job(full_job().key);
  EXPECT_EQ(put(second), Enqueued::present);
  expect_same(take().job, full_job());
}

TEST_P(QueueConformance, WhatOnlyWaitsForItsTimeIsBroughtForward) {
  if (!GetParam().unique_keys) GTEST_SKIP() << "this engine cannot tell";
  queue().enqueue("q", full_job(), wall_now() + 1h).value();
  Job waits = job("a");
  queue().enqueue("q", waits, wall_now() + 1h).value();
  EXPECT_EQ(queue().enqueue("q", waits, wall_now() + 2h).value(), Enqueued::present);
  EXPECT_FALSE(look());
  EXPECT_EQ(put(waits), Enqueued::present);
  EXPECT_EQ(take().job.key, "a");
  // What failed waits so that it does not fail again at once.
  EXPECT_EQ(put(full_job()), Enqueued::present);
  EXPECT_EQ(figures().parked, 1U);
}

TEST_P(QueueConformance, AClaimedJobIsNobodyElsesWhileTheLeaseLasts) {
  const Claim claim = put_and_take("a");
  EXPECT_FALSE(look());
  EXPECT_FALSE(another()->claim("q", kLong, 50ms).value());
  EXPECT_EQ(settle(claim), Held::yes);
}

TEST_P(QueueConformance, WhatLapsesIsClaimedAgainUnderAGreaterFence) {
  Claim last = put_and_take("a", kAtOnce);
  for (int deliveries = 2; deliveries < 6; ++deliveries) {
    const Claim next = take("q", kAtOnce);
    EXPECT_EQ(next.deliveries, deliveries);
    EXPECT_GT(next.fence, last.fence);
    expect_same(next.job, job("a"));
    last = next;
  }
}

TEST_P(QueueConformance, FencesGrowWhateverBecomesOfTheJob) {
  Claim last = put_and_take("a");
  settle(last, {.kind = Kind::later, .job = last.job, .due = wall_now()});
  const Claim next = take();
  EXPECT_GT(next.fence, last.fence);
  EXPECT_EQ(settle(last), Held::lost);
  EXPECT_EQ(settle(next), Held::yes);
}

TEST_P(QueueConformance, ARenewedLeaseLasts) {
  const Claim claim = put_and_take("a", 2s);
  EXPECT_EQ(queue().renew(claim, kLong).value(), Held::yes);
  EXPECT_FALSE(queue().claim("q", kLong, 2200ms).value());
  EXPECT_EQ(settle(claim), Held::yes);
}

TEST_P(QueueConformance, WhoLostAClaimIsRefusedAndChangesNothing) {
  const Claim lost = put_and_take("a", kAtOnce);
  const Claim held = take();
  ASSERT_EQ(held.job.key, "a");
  EXPECT_EQ(queue().renew(lost, kLong).value(), Held::lost);
  Job changed = lost.job;
  changed.attempts = 9;
  for (const Kind kind : {Kind::done, Kind::later, Kind::dead, Kind::handed_on})
    EXPECT_EQ(settle(lost, {.kind = kind, .job = changed, .due = wall_now(), .queue = "other"}),
              Held::lost);
  EXPECT_EQ(counts(figures()), "0 ready, 1 claimed, 0 parked, 0 dead");
  EXPECT_FALSE(look("other"));
  EXPECT_EQ(settle(held, {.kind = Kind::later, .job = held.job, .due = wall_now()}), Held::yes);
  expect_same(take().job, job("a"));
}

TEST_P(QueueConformance, WhatIsSettledIsHeldByNobody) {
  for (const Kind kind : {Kind::done, Kind::later, Kind::dead, Kind::handed_on}) {
    const Claim claim = put_and_take("a");
    const ports::Settlement settlement{
        .kind = kind, .job = claim.job, .due = wall_now(), .queue = "other"};
    EXPECT_EQ(settle(claim, settlement), Held::yes);
    EXPECT_EQ(settle(claim, settlement), Held::lost);
    EXPECT_EQ(queue().renew(claim, kLong).value(), Held::lost);
    if (kind == Kind::later) settle(take());
  }
}

TEST_P(QueueConformance, WhatIsDoneIsGone) {
  EXPECT_EQ(settle(put_and_take("a")), Held::yes);
  EXPECT_EQ(counts(figures()), "0 ready, 0 claimed, 0 parked, 0 dead");
  EXPECT_FALSE(look());
}

TEST_P(QueueConformance, WhatIsPutBackComesAsItWasSaid) {
  const Claim claim = put_and_take(full_job().key);
  const WallTime due = wall_now() + 300ms;
  EXPECT_EQ(settle(claim, {.kind = Kind::later, .job = full_job(), .due = due}), Held::yes);
  EXPECT_FALSE(look());
  const Claim again = take();
  EXPECT_GE(wall_now() + 1us, due);
  expect_same(again.job, full_job());
}

TEST_P(QueueConformance, PuttingBackUsesUpNoDelivery) {
  put(job("a"));
  for (int i = 0; i < GetParam().deliveries + 3; ++i) {
    const Claim claim = take();
    EXPECT_EQ(claim.deliveries, 1);
    ASSERT_EQ(settle(claim, {.kind = Kind::later, .job = claim.job, .due = wall_now()}), Held::yes);
  }
}

TEST_P(QueueConformance, WhatEndsItsWorkersEachTimeIsDeadInTheEnd) {
  put(full_job());
  for (int i = 1; i <= GetParam().deliveries; ++i) EXPECT_EQ(take("q", kAtOnce).deliveries, i);
  ASSERT_TRUE(eventually([&] { return !look() && figures().dead == 1; }));
  const std::vector<Job> dead = queue().dead("q", 10).value();
  ASSERT_EQ(dead.size(), 1U);
  EXPECT_EQ(dead[0].failure, "deliveries");
  EXPECT_EQ(dead[0].body, full_job().body);
  EXPECT_EQ(dead[0].attempts, full_job().attempts);
}

TEST_P(QueueConformance, TheDeadAreKeptApartTheNewestFirst) {
  for (const char* key : {"a", "b", "c"}) die(key);
  EXPECT_FALSE(look());
  EXPECT_EQ(counts(figures()), "0 ready, 0 claimed, 0 parked, 3 dead");
  EXPECT_EQ(keys_of_dead(), (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(keys_of_dead(2), (std::vector<std::string>{"c", "b"}));
  EXPECT_EQ(keys_of_dead(0), std::vector<std::string>());
  EXPECT_EQ(queue().dead("q", 1).value()[0].attempts, 5);
  EXPECT_EQ(queue().dead("other", 10).value().size(), 0U);
}

TEST_P(QueueConformance, TheDeadDoNotStandInTheWayOfTheirKey) {
  die("a");
  EXPECT_EQ(put(job("a")), Enqueued::added);
  EXPECT_EQ(take().job.attempts, 0);
}

TEST_P(QueueConformance, ThoseThatAreChosenAreTakenBackAsTheyWereMade) {
  for (const char* key : {"a", "b", "c"}) die(key);
  const auto choose = [](Job& each) {
    each.attempts = 0;
    each.failure.clear();
    return each.key != "b";
  };
  EXPECT_EQ(queue().revive("q", choose).value(), 2U);
  EXPECT_EQ(counts(figures()), "2 ready, 0 claimed, 0 parked, 1 dead");
  EXPECT_EQ(queue().dead("q", 10).value()[0].attempts, 5);
  std::map<std::string, int> attempts;
  for (int i = 0; i < 2; ++i) {
    const Claim claim = take();
    EXPECT_EQ(claim.deliveries, 1);
    EXPECT_EQ(claim.job.failure, "");
    attempts[claim.job.key] = claim.job.attempts;
  }
  EXPECT_EQ(attempts, (std::map<std::string, int>{{"a", 0}, {"c", 0}}));
}

TEST_P(QueueConformance, WhatIsTakenBackBesideOneOfItsKeyIsThereOnce) {
  if (!GetParam().unique_keys) GTEST_SKIP() << "this engine cannot tell";
  die("a");
  put(job("a"));
  EXPECT_EQ(queue().revive("q", [](Job&) { return true; }).value(), 0U);
  EXPECT_EQ(counts(figures()), "1 ready, 0 claimed, 0 parked, 0 dead");
}

TEST_P(QueueConformance, WhatIsHandedOnIsInTheOtherQueueAlone) {
  Claim claim = put_and_take("a");
  claim.job.handed_on_by = "q";
  EXPECT_EQ(settle(claim, {.kind = Kind::handed_on, .job = claim.job, .queue = "large"}),
            Held::yes);
  EXPECT_EQ(counts(figures()), "0 ready, 0 claimed, 0 parked, 0 dead");
  const Claim other = take("large");
  EXPECT_EQ(other.deliveries, 1);
  expect_same(other.job, claim.job);
}

TEST_P(QueueConformance, WhatIsHandedToAQueueThatHasItIsDone) {
  if (!GetParam().unique_keys) GTEST_SKIP() << "this engine cannot tell";
  put(full_job(), "large");
  const Claim claim = put_and_take(full_job().key);
  EXPECT_EQ(settle(claim, {.kind = Kind::handed_on, .job = claim.job, .queue = "large"}),
            Held::yes);
  EXPECT_EQ(counts(figures()), "0 ready, 0 claimed, 0 parked, 0 dead");
  expect_same(take("large").job, full_job());
  EXPECT_FALSE(look("large"));
}

TEST_P(QueueConformance, FiguresTellWhatBecameOfEach) {
  EXPECT_EQ(counts(figures()), "0 ready, 0 claimed, 0 parked, 0 dead");
  die("a");
  put_and_take("b");
  put_and_take("c");
  for (const char* key : {"d", "e", "f"}) put(job(key));
  for (const char* key : {"g", "h", "i", "j"})
    queue().enqueue("q", job(key), wall_now() + 1h).value();
  EXPECT_EQ(counts(figures()), "3 ready, 2 claimed, 4 parked, 1 dead");
}

TEST_P(QueueConformance, LagIsOfTheOldestThatIsReady) {
  EXPECT_EQ(figures().lag, 0s);
  queue().enqueue("q", job("parked"), wall_now() + 1h).value();
  put_and_take("claimed");
  EXPECT_EQ(figures().lag, 0s);
  const WallTime now = wall_now();
  queue().enqueue("q", job("young"), now - 60s).value();
  queue().enqueue("q", job("old"), now - 1h).value();
  EXPECT_GE(figures().lag, 1h);
  EXPECT_LE(figures().lag, 1h + (wall_now() - now) + 1us);
  EXPECT_EQ(take().job.key, "old");
  EXPECT_LT(figures().lag, 1h);
  EXPECT_GE(figures().lag, 60s);
}

TEST_P(QueueConformance, ALapsedClaimIsReadyAgain) {
  put_and_take("a", kAtOnce);
  EXPECT_TRUE(
      eventually([&] { return counts(figures()) == "1 ready, 0 claimed, 0 parked, 0 dead"; }));
}

TEST_P(QueueConformance, WhoWaitsIsWokenByWhatIsEnqueued) {
  queue();  // before there are two to make it
  std::thread other([&] { EXPECT_EQ(take().job.key, "a"); });
  put(job("b"), "unheard");
  put(job("a"));
  other.join();
}

TEST_P(QueueConformance, WhoWaitsFindsWhatAnotherConnectionEnqueues) {
  const auto connection = another();
  queue();  // before there are two to make it
  std::thread other([&] { EXPECT_EQ(take().job.key, "a"); });
  connection->enqueue("q", job("a"), wall_now()).value();
  other.join();
}

TEST_P(QueueConformance, ManyThreadsAndConnectionsClaimEachJobOnce) {
  constexpr int kJobs = 200, kThreads = 4;
  const auto second = another();
  queue();
  std::mutex mutex;
  std::map<std::string, int> claims;
  std::atomic<int> done = 0;
  const auto work = [&](Queue& from) {
    while (done < kJobs) {
      const auto claim = from.claim("q", kLong, 20ms).value();
      if (!claim) continue;
      EXPECT_EQ(from.settle(*claim, {}).value(), Held::yes);
      const std::lock_guard lock(mutex);
      ++claims[claim->job.key];
      ++done;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { work(i % 2 == 0 ? *queue_ : *second); });
  for (int i = 0; i < kJobs; ++i) put(job(std::to_string(i)));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(claims.size(), static_cast<std::size_t>(kJobs));
  for (const auto& [key, times] : claims) EXPECT_EQ(times, 1) << key;
  EXPECT_EQ(counts(figures()), "0 ready, 0 claimed, 0 parked, 0 dead");
}

TEST_P(QueueConformance, WhatAKilledProcessHeldComesBack) {
  Forked worker([&](const Forked::Voice& voice) {
    const auto own = place_->open();
    for (const char* key : {"a", "b", "c"}) own->enqueue("q", job(key), wall_now()).value();
    for (int i = 0; i < 2; ++i) (void)own->claim("q", 500ms, kPatience).value().value();
    voice.say("holding");
    ::pause();
  });
  ASSERT_NE(worker.wait_for("holding").find("holding"), std::string::npos);
  worker.kill();
  std::map<std::string, int> deliveries;
  for (int i = 0; i < 3; ++i) {
    const Claim claim = take();
    deliveries[claim.job.key] = claim.deliveries;
    EXPECT_EQ(settle(claim), Held::yes);
  }
  EXPECT_EQ(deliveries, (std::map<std::string, int>{{"a", 2}, {"b", 2}, {"c", 1}}));
  EXPECT_FALSE(look());
}

}  // namespace tanggul::test
