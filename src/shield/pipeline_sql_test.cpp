// A SQL origin's rows in virtual time: when they expire, how a hot one is renewed, and what a
// stream of rows that nobody asks for twice leaves behind.
#include <algorithm>

#include "registry/sql/answer.h"
#include "registry/sql/kind.h"
#include "registry/sql/values.h"
#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

namespace sql = registry::sql;

// Rows for even ids, none for odd ones, each after `takes`.
class Rows final : public ports::Origin {
 public:
  explicit Rows(async::Executor executor) : executor_(executor) {}

  Task<ports::FetchEnd> fetch(const ports::OriginRequest& request, ports::ResponseSink& sink,
                              ports::Cancellation&) override {
    ++queries;
    most_at_once = std::max(most_at_once, ++running);
    const MonoTime until = MonoClock::now() + takes;
    const async::WaiterPtr waiter = async::Waiter::make(executor_);
    while (MonoClock::now() < until) co_await waiter->wait_until(until);
    --running;
    // The fixture's upstream has a path of its own before the values.
    const auto values = sql::read_values(request.target.substr(request.target.rfind('/')));
    const std::string id = values.value().at(0).value();
    const bool there = (id.back() - '0') % 2 == 0;
    co_return sql::deliver(
        there ? sql::Answer::rows("{\"id\":\"" + id + "\"}\n") : sql::Answer::none("o"), request,
        sink);
  }

  Duration takes{};
  std::size_t queries = 0;
  int running = 0, most_at_once = 0;

 private:
  async::Executor executor_;
};

class PipelineSqlTest : public PipelineTest {
 protected:
  PipelineSqlTest() {
    std::string wrong;
    sql::Parameter id;
    id.name = "id";
    id.in_path = true;
    origin_config.kind = sql::make_sql({*http::PathTemplate::parse("/o/{id}", wrong), {id}});
    origin_config.mount_template = "/o/{id}";
    origin_config.freshness.ttl = 5min;
    origin_config.deadline = 3s;
    origin_config.deadline_ends_fetch = 100ms;
    origin_config.negative.server_error = origin_config.negative.unreachable = {};
    origin_config.retry.attempts = 1;
    origin_config.limit.concurrency = 8;
    build();
    pipeline_ = std::make_unique<Pipeline>(*shield_, rows, io.get_executor());
  }

  // A client that is let go of once it has been answered. True: without having to wait.
  bool ask(const std::string& id) {
    Client& c = *asking_.emplace_back(std::make_unique<Client>());
    c.target = "/o/" + id;
    prepare(c, peer, io.get_executor());
    if (pipeline_->answer_now(c.call, c.reply)) {
      result = std::string(c.reply.result);
      asking_.pop_back();
      return true;
    }
    async::spawn(io.get_executor(), "client", play(*pipeline_, c));
    return false;
  }
  void let_go() {
    settle();
    std::erase_if(asking_, [](const auto& c) { return c->done; });
  }

  Rows rows{io.get_executor()};
  std::string result;  // of who did not wait
  std::vector<std::unique_ptr<Client>> asking_;
};

TEST_F(PipelineSqlTest, WhatWasWrittenTogetherDoesNotExpireTogether) {
  constexpr int kKeys = 10'000;
  for (int i = 0; i < kKeys; ++i) {
    ask(std::to_string(i * 2));
    let_go();
    clock.advance(100us);
  }
  const WallTime now = clock.now().wall;
  std::map<std::int64_t, int> by_second;
  for (int i = 0; i < kKeys; ++i) {
    const auto entry = shield_->find("o\x1f/" + std::to_string(i * 2));
    ASSERT_TRUE(entry);
    const Duration left = entry->times.expires - now;
    EXPECT_GT(left, 5min - 2s);
    EXPECT_LE(left, 5min + 30s);
    ++by_second[std::chrono::floor<std::chrono::seconds>(left).count()];
  }
  const double mean = static_cast<double>(kKeys) / static_cast<double>(by_second.size());
  for (const auto& [second, count] : by_second) EXPECT_LE(count, 2 * mean) << second;
  EXPECT_GE(by_second.size(), 30U);
}

TEST_F(PipelineSqlTest, AHotRowIsRenewedBeforeItExpiresAndNobodyWaits) {
  rows.takes = 300ms;
  ask("2");
  pass(400ms);
  let_go();
  ASSERT_EQ(rows.queries, 1U);
  int waited = 0, not_hits = 0;
  for (const MonoTime end = clock.now().mono + 20min; clock.now().mono < end;) {
    if (!ask("2")) ++waited;
    if (result != "hit") ++not_hits;
    clock.advance(500us);
    settle();
  }
  EXPECT_EQ(waited, 0);
  EXPECT_EQ(not_hits, 0) << "an expired one was served, or none";
  EXPECT_GE(rows.queries, 4U);
  EXPECT_LE(rows.queries, 6U) << "one an expiry";
  EXPECT_EQ(rows.most_at_once, 1);
}

TEST_F(PipelineSqlTest, RowsThatNobodyAsksForTwiceLeaveNothingBehind) {
  constexpr ByteCount kBound = 16_MiB;
  constexpr int kIds = 200'000;
  shield_->memory().set_capacity(kBound);
  ByteCount most = 0;
  for (int i = 0; i < kIds; ++i) {
    ask(std::to_string(i));
    clock.advance(200us);
    if (i % 8 != 0) continue;
    let_go();
    most = std::max(most, shield_->memory().bytes());
  }
  let_go();
  EXPECT_TRUE(asking_.empty());
  EXPECT_EQ(rows.queries, static_cast<std::size_t>(kIds));
  EXPECT_LE(most, kBound);
  EXPECT_GT(shield_->memory().evictions(), 0U);
  EXPECT_EQ(shield_->flights().size(), 0U);
  EXPECT_EQ(shield_->tasks().running(), 0);
}

TEST_F(PipelineSqlTest, AFailureIsSharedOnceAndTheNextRequestTriesAnew) {
  Answer late = broken(500);
  late.takes = 300ms;
  origin.plays({late, page("{}", {})});
  pipeline_ = std::make_unique<Pipeline>(*shield_, origin, io.get_executor());
  std::vector<Client*> herd;
  for (int i = 0; i < 500; ++i) herd.push_back(&send("/o/2"));
  pass(400ms);
  for (const Client* c : herd) {
    ASSERT_TRUE(c->done);
    ASSERT_TRUE(c->head.starts_with("HTTP/1.1 500")) << c->head;
  }
  EXPECT_EQ(origin.seen.size(), 1U);
  EXPECT_TRUE(send("/o/2").head.starts_with("HTTP/1.1 200"));
  EXPECT_EQ(origin.seen.size(), 2U);
  pipeline_.reset();
}

TEST_F(PipelineSqlTest, TheDeadlineOfAFetchIsToldToItsOriginAndItsCallersWaitALittleLonger) {
  Answer never = page("{}");
  never.takes = 1h;
  origin.plays({never});
  pipeline_ = std::make_unique<Pipeline>(*shield_, origin, io.get_executor());
  const MonoTime start = clock.now().mono;
  Client& usual = send("/o/2");
  Client& hasty = send("/o/2", {{"Prefer", "wait=1"}});
  EXPECT_EQ(origin.seen.at(0).deadline, start + 3s);
  pass(1s);
  EXPECT_TRUE(hasty.head.starts_with("HTTP/1.1 504")) << hasty.head;
  pass(2s);
  EXPECT_FALSE(usual.done);
  pass(100ms);
  EXPECT_TRUE(usual.head.starts_with("HTTP/1.1 504")) << usual.head;
  pipeline_.reset();
}

TEST_F(PipelineSqlTest, NoFreeConnectionIsNoFaultOfTheDatabase) {
  origin.plays({dead(Errc::limit)});
  pipeline_ = std::make_unique<Pipeline>(*shield_, origin, io.get_executor());
  for (int i = 0; i < 100; ++i) {
    const Client& c = send("/o/" + std::to_string(i));
    ASSERT_TRUE(c.head.starts_with("HTTP/1.1 503")) << c.head;
    ASSERT_TRUE(c.says("Retry-After: ")) << c.head;
  }
  EXPECT_EQ(state().breaker_state(clock.now().mono), policy::BreakerState::closed);
  pipeline_.reset();
}

}  // namespace
}  // namespace tanggul::shield
