#include "adapters/redis/node_for_test.h"
#include "async/timer.h"

namespace tanggul::redis {
namespace {

using Kind = ports::AttemptLeave::Kind;
using ports::AttemptLeave;
using ports::SharedRules;

// Three nodes that do what they may, over one server.
class RedisLimitsOfThree : public RedisTest {
 protected:
  struct Count {
    int running = 0, most = 0, attempts = 0;
    bool over = false;
  };
  static Task<void> rest(Duration d) {
    async::Timer timer(co_await asio::this_coro::executor);
    timer.expires_after(d);
    co_await timer.async_wait(asio::as_tuple(async::use_task));
  }
  static Task<void> attempts(ports::SharedLimits& limits, SharedRules rules, Count& count) {
    while (!count.over) {
      Patience patience(5s);
      const auto leave =
          co_await limits.ask({.origin = "o", .rules = rules, .may_wait = 1s}, patience);
      if (leave.kind != Kind::go) {
        co_await rest(2ms);
        continue;
      }
      co_await rest(leave.wait);
      count.most = std::max(count.most, ++count.running);
      ++count.attempts;
      co_await rest(2ms);
      --count.running;
      limits.finish({.origin = "o", .place = leave.place, .rules = rules});
    }
  }
  void begin(Node& node, const SharedRules& rules, Count& count, int workers) {
    for (int i = 0; i < workers; ++i)
      group_.spawn(io_.get_executor(), "attempts", attempts(*node.lane.limits, rules, count));
  }
  void end(Count& count) {
    count.over = true;
    EXPECT_TRUE(until([&] { return group_.running() == 0; }));
  }

  async::TaskGroup group_;
};

TEST_F(RedisLimitsOfThree, KeepTheConcurrencyThoughOneDies) {
  const test::RedisServer redis;
  SharedRules rules;
  rules.concurrency = 4;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  Apart dying(config(redis.url(), "c"));
  ASSERT_TRUE(dying.until([&] { return dying.node.heard.up(); }));
  const MonoTime died = MonoClock::now();
  for (int i = 0; i < 2; ++i) ASSERT_EQ(dying.ask({.origin = "o", .rules = rules}).kind, Kind::go);
  Count count;
  begin(a, rules, count, 4);
  begin(b, rules, count, 4);
  EXPECT_TRUE(until([&] { return count.attempts >= 300; }));
  EXPECT_EQ(count.most, 2);  // and the two of the dead
  EXPECT_TRUE(until([&] { return count.most > 2; }, 60s));
  EXPECT_GT(MonoClock::now() - died, ports::SharedLimits::kPlaceLives - 1ms);
  const int so_far = count.attempts;
  EXPECT_TRUE(until([&] { return count.attempts >= so_far + 300; }));
  end(count);
  EXPECT_EQ(count.most, 4);
}

TEST_F(RedisLimitsOfThree, KeepTheRateThoughOneDies) {
  const test::RedisServer redis;
  SharedRules rules;
  rules.rate = 100;
  rules.burst = 5;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  Apart dying(config(redis.url(), "c"));
  ASSERT_TRUE(dying.until([&] { return dying.node.heard.up(); }));
  const MonoTime begun = MonoClock::now();
  Count count;
  for (int i = 0; i < 4; ++i)
    count.attempts += dying.ask({.origin = "o", .rules = rules}).kind == Kind::go ? 1 : 0;
  begin(a, rules, count, 3);
  begin(b, rules, count, 3);
  EXPECT_TRUE(until([&] { return count.attempts >= 100; }));
  const double most = 5 + 100 * seconds(MonoClock::now() - begun);
  EXPECT_LE(count.attempts, most);
  end(count);
}

TEST_F(RedisLimitsOfThree, SendOneProbeHoweverManyAskAtOnce) {
  const test::RedisServer redis;
  for (const char* name : {"a", "b", "c"}) node_of(redis, name);
  SharedRules rules;
  rules.breaker = true;
  rules.window = 10s;
  rules.min_requests = 1;
  rules.failure_ratio = 0.5;
  rules.open_for = 50ms;
  rules.max_open = 50ms;
  rules.probes = 100;  // it does not close
  rules.probe_lease = 60s;
  static constexpr auto kAsk = [](Node& node, SharedRules r,
                                  std::vector<AttemptLeave>& to) -> Task<void> {
    Patience patience(5s);
    const auto leave = co_await node.lane.limits->ask({.origin = "o", .rules = r}, patience);
    to.push_back(leave);
  };
  const auto finish = [&](const AttemptLeave& leave, ports::AttemptSample sample) {
    nodes_[0]->lane.limits->finish({.origin = "o",
                                    .place = leave.place,
                                    .rules = rules,
                                    .generation = leave.generation,
                                    .probe = leave.probe,
                                    .sample = sample});
  };
  Patience p(5s);
  finish(await(nodes_[0]->lane.limits->ask({.origin = "o", .rules = rules}, p)),
         ports::AttemptSample::failure);
  const auto opened = [&] { return !nodes_[0]->heard.breakers.empty(); };
  ASSERT_TRUE(until(opened));
  run_for(60ms);  // half-open by then
  for (int round = 0; round < 10; ++round) {
    std::vector<AttemptLeave> leaves;
    for (int i = 0; i < 5; ++i)
      for (const auto& node : nodes_)
        async::spawn(io_.get_executor(), "ask", kAsk(*node, rules, leaves));
    ASSERT_TRUE(until([&] { return leaves.size() == 15; }));
    int probes = 0;
    for (const AttemptLeave& leave : leaves) {
      if (leave.kind != Kind::go) {
        EXPECT_EQ(leave.kind, Kind::open);
        continue;
      }
      EXPECT_TRUE(leave.probe);
      ++probes;
      finish(leave, ports::AttemptSample::success);
    }
    EXPECT_EQ(probes, 1);
    // The success has to be counted before the next may be sent.
    const std::string successes = std::to_string(round + 1);
    EXPECT_TRUE(until([&] {
      return redis.command({"HGET", "{tanggul:o:o}:breaker", "successes"}).text == successes;
    }));
  }
}

}  // namespace
}  // namespace tanggul::redis
