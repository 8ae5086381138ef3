#include "sync/work/slot.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "base/mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace tanggul::sync {
namespace {

using ports::Claim;
using ports::Queue;
using ports::Settlement;

// Gives what it has been given, and notes what it is told. Any thread.
class FakeQueue final : public Queue {
 public:
  void give(const std::string& key) {
    const Lock lock(mutex_);
    Claim claim{.queue = "repo_clone", .id = key};
    claim.job.key = claim.job.body = key;
    waiting_.push_back(claim);
  }
  void fail_settling(int times) {
    const Lock lock(mutex_);
    failures_ = times;
  }
  void take_leases_away() {
    const Lock lock(mutex_);
    held_ = Held::lost;
  }
  std::vector<Settlement> settled() const {
    const Lock lock(mutex_);
    return settled_;
  }
  int renewals() const {
    const Lock lock(mutex_);
    return renewals_;
  }

  Expected<Enqueued> enqueue(const std::string&, const ports::Job&, WallTime) override {
    return Enqueued::added;
  }
  Expected<std::optional<Claim>> claim(const std::string&, Duration, Duration) override {
    const Lock lock(mutex_);
    if (waiting_.empty()) return std::optional<Claim>();
    Claim claim = waiting_.front();
    waiting_.pop_front();
    return std::optional(std::move(claim));
  }
  Expected<Held> renew(const Claim&, Duration) override {
    const Lock lock(mutex_);
    ++renewals_;
    return held_;
  }
  Expected<Held> settle(const Claim&, const Settlement& settlement) override {
    const Lock lock(mutex_);
    if (failures_-- > 0) return Failure{Errc::refused, "away"};
    settled_.push_back(settlement);
    if (settlement.kind == Settlement::Kind::later) {
      Claim again{.queue = "repo_clone", .id = settlement.job.key, .job = settlement.job};
      waiting_.push_back(std::move(again));
    }
    return held_;
  }
  Expected<ports::QueueFigures> figures(const std::string&) override {
    return ports::QueueFigures{};
  }
  Expected<std::vector<ports::Job>> dead(const std::string&, std::size_t) override {
    return std::vector<ports::Job>();
  }
  Expected<std::uint64_t> revive(const std::string&,
                                 const std::function<bool(ports::Job&)>&) override {
    return 0;
  }

 private:
  mutable Mutex mutex_;
  std::deque<Claim> waiting_ GUARDED_BY(mutex_);
  std::vector<Settlement> settled_ GUARDED_BY(mutex_);
  Held held_ GUARDED_BY(mutex_) = Held::yes;
  int failures_ GUARDED_BY(mutex_) = 0, renewals_ GUARDED_BY(mutex_) = 0;
};

class SlotOf : public testing::Test {
 protected:
  // Its jobs are done by this script, which is told the order on standard input.
  std::unique_ptr<Slot> slot(const std::string& script) {
    SlotConfig config;
    config.name = "test";
    config.command = {{"sh", "-c", script}, {"PATH=/usr/bin:/bin"}};
    config.order.pool = default_pools()[0];
    config.order.release = "v1";
    config.order.folder = dir_.file("clone");
    config.lease = 300ms;
    config.on_dead = [this](const ports::Job& job) { dead_.push_back(job.key); };
    return std::make_unique<Slot>(std::move(config), queue_, told_, parsing_, drain_);
  }
  std::uint64_t ended(JobEnd end) {
    return metrics_
        .counter("sync_jobs_total", "",
                 {{"queue", "repo_clone"}, {"outcome", std::string(name(end))}})
        .value();
  }
  std::uint64_t processed() {
    return metrics_.counter("repo_sync_processed_total", "", {{"version", "v1"}}).value();
  }

  const test::TempDir dir_;
  FakeQueue queue_;
  MetricSet metrics_;
  QueueMetrics told_{metrics_, "repo_clone", "v1"};
  ParseMetrics parsing_{metrics_, "v1"};
  Drain drain_;
  std::vector<std::string> dead_;
};

constexpr const char* kChanged =
    R"(echo '{"end":"changed","url":"u","commit":"c","detail":"","spent":{},"errors":["rest"],"defects":[]}')";

TEST_F(SlotOf, AJobThatIsDoneIsSettledAndCounted) {
  queue_.give("a");
  const auto slot = this->slot(kChanged);
  EXPECT_TRUE(slot->work_once());
  EXPECT_FALSE(slot->work_once()) << "there was one";
  ASSERT_EQ(queue_.settled().size(), 1U);
  EXPECT_EQ(queue_.settled()[0].kind, Settlement::Kind::done);
  EXPECT_EQ(ended(JobEnd::changed), 1U);
  EXPECT_EQ(processed(), 1U);
  EXPECT_EQ(metrics_.counter("repo_parse_errors_total", "", {{"stage", "rest"}, {"version", "v1"}})
                .value(),
            1U);
}

TEST_F(SlotOf, TheLeaseIsRenewedWhileTheJobRuns) {
  queue_.give("a");
  slot(std::string("sleep 1; ") + kChanged)->work_once();
  EXPECT_GE(queue_.renewals(), 4);
  EXPECT_EQ(queue_.settled().size(), 1U);
}

TEST_F(SlotOf, AJobWhoseLeaseIsGoneIsEndedAndNotSettled) {
  queue_.give("a");
  queue_.take_leases_away();
  const MonoTime began = MonoClock::now();
  slot("sleep 1000")->work_once();
  EXPECT_LT(MonoClock::now() - began, 30s);
  EXPECT_EQ(ended(JobEnd::lost), 1U);
  EXPECT_TRUE(queue_.settled().empty());
  EXPECT_EQ(processed(), 0U);
}

TEST_F(SlotOf, AQueueThatIsAwayForAMomentIsToldAgain) {
  queue_.give("a");
  queue_.fail_settling(1);
  slot(kChanged)->work_once();
  EXPECT_EQ(queue_.settled().size(), 1U);
  EXPECT_EQ(processed(), 1U);
}

TEST_F(SlotOf, ACrashIsTriedAgainUntilItIsKeptApartAndTold) {
  auto slot = this->slot("exit 7");
  queue_.give("a");
  for (int i = 1; i < 5; ++i) slot->work_once();
  EXPECT_TRUE(dead_.empty());
  EXPECT_EQ(processed(), 0U) << "it has not ended";
  slot->work_once();
  EXPECT_EQ(dead_, std::vector<std::string>{"a"});
  EXPECT_EQ(queue_.settled().back().kind, Settlement::Kind::dead);
  EXPECT_EQ(processed(), 1U);
  EXPECT_FALSE(slot->work_once());
}

TEST_F(SlotOf, DrainingLetsAJobEndAndThenEndsIt) {
  queue_.give("quick");
  queue_.give("slow");
  const auto slot =
      this->slot(std::string("grep -q quick && exec ") + kChanged + " || exec sleep 1000");
  std::thread worker([&] { slot->work(); });
  const Gauge& busy = metrics_.gauge("sync_slots_busy", "", {{"queue", "repo_clone"}});
  EXPECT_TRUE(test::eventually([&] { return ended(JobEnd::changed) == 1 && busy.value() == 1; }));
  drain_.begin(100ms);
  worker.join();
  ASSERT_EQ(queue_.settled().size(), 2U);
  EXPECT_EQ(queue_.settled()[1].kind, Settlement::Kind::later);
  EXPECT_EQ(queue_.settled()[1].job.attempts, 0);
  EXPECT_EQ(ended(JobEnd::drained), 1U);
}

}  // namespace
}  // namespace tanggul::sync
