// The queue beside a model of it in memory, through steps of chance in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "adapters/sqlite/queue.h"
#include "support/temp_dir.h"

namespace tanggul::sqlite {
namespace {

using ports::Claim;
using ports::Job;
using ports::Queue;
using ports::Settlement;
using Kind = Settlement::Kind;

constexpr int kDeliveries = 3, kMostDead = 3;

struct Kept {
  Job job;
  WallTime at;
  bool claimed = false;
  std::uint64_t fence = 0;
  int deliveries = 0;
};

// What a queue is to do, without a thought of how.
struct Model {
  std::map<std::string, std::map<std::string, Kept>> jobs;  // by queue and key
  std::map<std::string, std::vector<Job>> dead;             // the newest first

  bool add(const std::string& queue, const Job& job, WallTime due) {
    auto [at, added] = jobs[queue].try_emplace(job.key, Kept{job, due});
    if (!added && !at->second.claimed && at->second.job.failure.empty())
      at->second.at = std::min(at->second.at, std::max(due, wall_now()));
    return added;
  }
  void bury(const std::string& queue, const Job& job) {
    auto& all = dead[queue];
    std::erase_if(all, [&](const Job& each) { return each.key == job.key; });
    all.insert(all.begin(), job);
    if (all.size() > kMostDead) all.pop_back();
  }
  Kept* held(const Claim& claim) {
    const auto at = jobs[claim.queue].find(claim.job.key);
    if (at == jobs[claim.queue].end()) return nullptr;
    return at->second.claimed && at->second.fence == claim.fence ? &at->second : nullptr;
  }
  bool settle(const Claim& claim, const Settlement& how) {
    Kept* const kept = held(claim);
    if (kept == nullptr) return false;
    if (how.kind == Kind::later) {
      *kept = {how.job, how.due};
      return true;
    }
    jobs[claim.queue].erase(claim.job.key);
    if (how.kind == Kind::dead) bury(claim.queue, how.job);
    if (how.kind == Kind::handed_on) add(how.queue, how.job, wall_now());
    return true;
  }
  // The earliest time of those that are due.
  std::optional<WallTime> next(const std::string& queue) {
    std::optional<WallTime> first;
    for (const auto& [key, kept] : jobs[queue])
      if (kept.at <= wall_now() && (!first || kept.at < *first)) first = kept.at;
    return first;
  }
};

std::string text_of(const Job& job) {
  return job.key + "/" + job.body + "/" + std::to_string(job.attempts) + "/" + job.failure;
}

class SqliteQueueModel : public testing::TestWithParam<std::uint32_t> {
 protected:
  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  std::string any_queue() { return upto(2) == 0 ? "r" : "q"; }
  WallTime any_time() { return wall_now() + (upto(25) - 5) * 1s; }

  void enqueue() {
    const Job job{.key = std::string(1, static_cast<char>('a' + upto(5))),
                  .body = std::to_string(++bodies_)};
    const std::string queue = any_queue();
    const WallTime due = any_time();
    const bool added = queue_->enqueue(queue, job, due).value() == Queue::Enqueued::added;
    ASSERT_EQ(added, model_.add(queue, job, due));
  }

  void claim() {
    const std::string queue = any_queue();
    const Duration lease = upto(10) * 1s;
    const auto claim = queue_->claim(queue, lease, 0s).value();
    bury_the_unlucky(queue, claim);
    const auto next = model_.next(queue);
    ASSERT_EQ(claim.has_value(), next.has_value());
    if (!claim) return;
    Kept& kept = model_.jobs[queue].at(claim->job.key);
    ASSERT_EQ(kept.at, *next);
    ASSERT_GT(claim->fence, last_fence_);
    ASSERT_EQ(text_of(claim->job), text_of(kept.job));
    last_fence_ = claim->fence;
    kept = {kept.job, wall_now() + lease, true, claim->fence, kept.deliveries + 1};
    ASSERT_EQ(claim->deliveries, kept.deliveries);
    claims_.push_back(*claim);
  }

  // Those that stood before what was claimed, and ended their workers too often. Of several of one
  // time the order is the engine's.
  void bury_the_unlucky(const std::string& queue, const std::optional<Claim>& claim) {
    std::map<std::string, Kept>& jobs = model_.jobs[queue];
    const auto place = [](const Kept& kept) {
      return std::tuple(kept.at, kept.claimed, kept.job.key);
    };
    std::vector<Kept> unlucky;
    for (const auto& [key, kept] : jobs) {
      const bool before = !claim || place(kept) < place(jobs.at(claim->job.key));
      if (kept.claimed && kept.at <= wall_now() && kept.deliveries >= kDeliveries && before)
        unlucky.push_back(kept);
    }
    std::sort(unlucky.begin(), unlucky.end(),
              [&](const Kept& a, const Kept& b) { return place(a) < place(b); });
    for (Kept& kept : unlucky) {
      jobs.erase(kept.job.key);
      kept.job.failure = "deliveries";
      model_.bury(queue, kept.job);
    }
  }

  void settle() {
    if (claims_.empty()) return;
    const Claim claim =
        claims_[static_cast<std::size_t>(upto(static_cast<int>(claims_.size()) - 1))];
    if (upto(4) == 0) {
      const Duration lease = upto(10) * 1s;
      Kept* const kept = model_.held(claim);
      ASSERT_EQ(queue_->renew(claim, lease).value() == Queue::Held::yes, kept != nullptr);
      if (kept != nullptr) kept->at = wall_now() + lease;
      return;
    }
    Settlement how{.kind = static_cast<Kind>(upto(3)), .job = claim.job, .due = any_time()};
    how.queue = any_queue();
    how.job.attempts += 1;
    how.job.failure = upto(1) == 0 ? "" : "timeout";
    ASSERT_EQ(queue_->settle(claim, how).value() == Queue::Held::yes, model_.settle(claim, how));
  }

  void revive() {
    const std::string queue = any_queue();
    const auto is_chosen = [](const Job& job) { return job.attempts % 2 == 0; };
    const auto choose = [&](Job& job) {
      const bool chosen = is_chosen(job);
      job.failure.clear();
      return chosen;
    };
    std::uint64_t expected = 0;
    for (const Job& each : std::vector<Job>(model_.dead[queue])) {
      if (!is_chosen(each)) continue;
      std::erase_if(model_.dead[queue], [&](const Job& job) { return job.key == each.key; });
      Job job = each;
      job.failure.clear();
      expected += model_.add(queue, job, wall_now()) ? 1 : 0;
    }
    ASSERT_EQ(queue_->revive(queue, choose).value(), expected);
  }

  std::vector<Job> dead_of(const std::string& queue) { return queue_->dead(queue, 100).value(); }

  void compare(const std::string& queue) {
    ports::QueueFigures expected;
    for (const auto& [key, kept] : model_.jobs[queue]) {
      if (kept.at <= wall_now()) {
        ++expected.ready;
        expected.lag = std::max(expected.lag, Duration(wall_now() - kept.at));
      } else {
        ++(kept.claimed ? expected.claimed : expected.parked);
      }
    }
    const auto figures = queue_->figures(queue).value();
    ASSERT_EQ(figures.ready, expected.ready);
    ASSERT_EQ(figures.claimed, expected.claimed);
    ASSERT_EQ(figures.parked, expected.parked);
    ASSERT_EQ(figures.lag, expected.lag);
    std::string dead, expected_dead;
    for (const Job& each : dead_of(queue)) dead += text_of(each) + " ";
    for (const Job& each : model_.dead[queue]) expected_dead += text_of(each) + " ";
    ASSERT_EQ(dead, expected_dead);
    ASSERT_EQ(figures.dead, model_.dead[queue].size());
  }

  void step() {
    switch (upto(9)) {
      case 0:
      case 1:
      case 2:
        return enqueue();
      case 3:
      case 4:
      case 5:
        return claim();
      case 6:
      case 7:
        return settle();
      case 8:
        return upto(5) == 0 ? revive() : settle();
      default:
        clock_.advance(upto(8) * 1s);
    }
  }

  std::mt19937 random_{GetParam()};
  VirtualClock clock_;
  const test::TempDir dir_;
  const std::unique_ptr<Queue> queue_ = std::move(open_queue({.file = dir_.file("queue.db"),
                                                              .deliveries = kDeliveries,
                                                              .most_dead = kMostDead}))
                                            .value();
  Model model_;
  std::vector<Claim> claims_;
  std::uint64_t last_fence_ = 0;
  int bodies_ = 0;
};

TEST_P(SqliteQueueModel, DoesAsTheModelDoes) {
  for (int i = 0; i < 600; ++i) {
    step();
    if (HasFatalFailure()) break;
    for (const char* queue : {"q", "r"}) compare(queue);
    if (HasFatalFailure()) break;
  }
  if (HasFatalFailure()) ADD_FAILURE() << "with seed " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Seeds, SqliteQueueModel, testing::Range(1U, 13U));

}  // namespace
}  // namespace tanggul::sqlite
