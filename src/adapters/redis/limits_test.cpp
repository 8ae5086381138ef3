#include <map>
#include <set>

#include "adapters/redis/node_for_test.h"

namespace tanggul::redis {
namespace {

using Kind = ports::AttemptLeave::Kind;
using ports::AttemptLeave;
using ports::AttemptSample;
using State = ports::BreakerView::State;

class RedisLimits : public RedisTest {
 protected:
  static ports::SharedRules breaker_rules() {
    ports::SharedRules r;
    r.breaker = true;
    r.window = 10s;
    r.min_requests = 4;
    r.failure_ratio = 0.5;
    r.open_for = 1s;
    r.max_open = 4s;
    r.probes = 2;
    r.probe_lease = 60s;
    return r;
  }
  AttemptLeave ask(Node& node, const ports::SharedRules& rules, Duration may_wait = 0ms,
                   const std::string& credential = {}) {
    Patience p(5s);
    return await(node.lane.limits->ask(
        {.origin = "o", .credential = credential, .rules = rules, .may_wait = may_wait}, p));
  }
  static void finish(Node& node, const ports::SharedRules& rules, const AttemptLeave& leave,
                     AttemptSample sample, Duration pause = {}, const std::string& whose = {}) {
    node.lane.limits->finish({.origin = "o",
                              .place = leave.place,
                              .rules = rules,
                              .generation = leave.generation,
                              .probe = leave.probe,
                              .sample = sample,
                              .pause = pause,
                              .credential = whose});
  }
};

TEST_F(RedisLimits, OpenForAllNodesWhatFailsForOneAndCloseAfterProbes) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  const auto rules = breaker_rules();
  for (int i = 0; i < 4; ++i) {
    const AttemptLeave leave = ask(a, rules);
    ASSERT_EQ(leave.kind, Kind::go);
    EXPECT_FALSE(leave.probe);
    EXPECT_EQ(leave.breaker.state, State::closed);
    finish(a, rules, leave, i % 2 ? AttemptSample::failure : AttemptSample::success);
  }
  const AttemptLeave refused = ask(b, rules);
  ASSERT_EQ(refused.kind, Kind::open);
  EXPECT_EQ(refused.breaker.state, State::open);
  EXPECT_GT(refused.wait, 0ms);
  EXPECT_LE(refused.wait, 1s);
  const auto told_open = [&] {
    return !b.heard.breakers.empty() && b.heard.breakers.back().second.state == State::open;
  };
  EXPECT_TRUE(until(told_open));
  EXPECT_EQ(b.heard.breakers.back().first, "o");
  EXPECT_EQ(b.heard.breakers.back().second.generation, refused.breaker.generation);

  AttemptLeave probe;
  EXPECT_TRUE(until([&] {
    probe = ask(b, rules);
    return probe.kind == Kind::go;
  }));
  EXPECT_TRUE(probe.probe);
  EXPECT_EQ(probe.breaker.state, State::half_open);
  EXPECT_TRUE(probe.breaker.probing);
  EXPECT_EQ(ask(a, rules).kind, Kind::open);  // one probe in the whole cluster
  finish(b, rules, probe, AttemptSample::success);
  EXPECT_TRUE(until([&] {
    return !a.heard.breakers.empty() && a.heard.breakers.back().second.state == State::half_open &&
           !a.heard.breakers.back().second.probing;
  }));
  probe = ask(a, rules);
  ASSERT_TRUE(probe.probe);
  finish(a, rules, probe, AttemptSample::success);
  EXPECT_EQ(ask(b, rules).breaker.state, State::closed);
  EXPECT_TRUE(until([&] { return a.heard.breakers.back().second.state == State::closed; }));
}

TEST_F(RedisLimits, OpenLongerWhileProbesFail) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  const auto rules = breaker_rules();
  for (int i = 0; i < 4; ++i) finish(a, rules, ask(a, rules), AttemptSample::failure);
  AttemptLeave probe;
  EXPECT_TRUE(until([&] { return (probe = ask(a, rules)).kind == Kind::go; }));
  finish(a, rules, probe, AttemptSample::failure);
  const AttemptLeave refused = ask(a, rules);
  EXPECT_EQ(refused.breaker.failed_rounds, 1);
  EXPECT_GT(refused.wait, 1s);
  EXPECT_LE(refused.wait, 2s);
}

TEST_F(RedisLimits, LetAsManyRunAsMayInTheWholeCluster) {
  const test::RedisServer redis;
  Node* nodes[] = {&node_of(redis, "a"), &node_of(redis, "b"), &node_of(redis, "c")};
  ports::SharedRules rules;
  rules.concurrency = 5;
  std::vector<std::pair<Node*, AttemptLeave>> running;
  for (int i = 0; i < 9; ++i) {
    Node* node = nodes[i % 3];
    const AttemptLeave leave = ask(*node, rules);
    EXPECT_EQ(leave.kind, i < 5 ? Kind::go : Kind::full) << i;
    if (leave.kind == Kind::go) running.emplace_back(node, leave);
  }
  const auto waiter = async::Waiter::make(io_.get_executor());
  static constexpr auto kWait = [](async::WaiterPtr w, bool& woken) -> Task<void> {
    co_await w->wait_until(kForever);
    woken = true;
  };
  bool woken = false;
  nodes[2]->lane.limits->watch_places("o", waiter);
  async::spawn(io_.get_executor(), "wait", kWait(waiter, woken));
  finish(*running[0].first, rules, running[0].second, AttemptSample::ignored);
  EXPECT_TRUE(until([&] { return woken; }));
  nodes[2]->lane.limits->unwatch_places("o", waiter);
  EXPECT_EQ(ask(*nodes[1], rules).kind, Kind::go);
  EXPECT_EQ(ask(*nodes[1], rules).kind, Kind::full);
}

TEST_F(RedisLimits, TellNobodyOfAPlaceThatNobodyWaitsFor) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  ports::SharedRules rules;
  rules.concurrency = 5;
  const auto published = [&] {
    const auto text = redis.command({"INFO", "commandstats"}).text;
    const auto at = text.find("cmdstat_publish:calls=");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + 22));
  };
  const int before = published();
  finish(a, rules, ask(a, rules), AttemptSample::ignored);
  ask(a, rules);
  EXPECT_EQ(published(), before);
}

TEST_F(RedisLimits, SpaceAttemptsByTheRateAndRefuseWhatWouldWaitTooLong) {
  const test::RedisServer redis;
  Node* nodes[] = {&node_of(redis, "a"), &node_of(redis, "b"), &node_of(redis, "c")};
  ports::SharedRules rules;
  rules.rate = 2;
  rules.burst = 3;
  const MonoTime begun = MonoClock::now();
  std::vector<Duration> waits;
  for (int i = 0; i < 6; ++i) {
    const AttemptLeave leave = ask(*nodes[i % 3], rules, 1600ms);
    ASSERT_EQ(leave.kind, Kind::go);
    waits.push_back(leave.wait);
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(waits[static_cast<std::size_t>(i)], 0ms);
  const Duration took = MonoClock::now() - begun + 1ms;
  EXPECT_GE(waits[3], 500ms - took);
  EXPECT_LE(waits[3], 500ms);
  EXPECT_GE(waits[5], 1500ms - took);
  EXPECT_LE(waits[5], 1500ms);
  EXPECT_EQ(ask(*nodes[0], rules, 500ms).kind, Kind::used_up);
  // The refused has taken nothing.
  const AttemptLeave next = ask(*nodes[0], rules, 5s);
  EXPECT_GE(next.wait, 2000ms - (MonoClock::now() - begun + 1ms));
  EXPECT_LE(next.wait, 2000ms);
}

TEST_F(RedisLimits, ARateOutlivesAClockThatGoesBack) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  ports::SharedRules rules;
  rules.rate = 10;
  ask(a, rules);
  const auto at = redis.command({"HGET", "{tanggul:o:o}:rate", "at"}).integer();
  const std::int64_t hour = 3'600'000'000;
  redis.command({"HSET", "{tanggul:o:o}:rate", "at", std::to_string(at + hour), "arrival",
                 std::to_string(at + hour + 100'000)});
  const AttemptLeave leave = ask(a, rules, 1s);
  EXPECT_EQ(leave.kind, Kind::go);
  EXPECT_LE(leave.wait, 100ms);
}

TEST_F(RedisLimits, CountADayAndRefuseWhenItIsUsedUp) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  ports::SharedRules rules;
  rules.daily = 2;
  rules.concurrency = 10;
  EXPECT_EQ(ask(a, rules).kind, Kind::go);
  EXPECT_EQ(ask(a, rules).kind, Kind::go);
  const AttemptLeave over = ask(a, rules);
  EXPECT_EQ(over.kind, Kind::used_up);
  EXPECT_GT(over.wait, 23h);
  EXPECT_LE(over.wait, 24h);
  EXPECT_EQ(redis.command({"ZCARD", "{tanggul:o:o}:places"}).text, "2");
}

TEST_F(RedisLimits, WhoIsRefusedUsesUpNothing) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  ports::SharedRules rules;
  rules.daily = 5;
  rules.concurrency = 1;
  rules.rate = 1;
  EXPECT_EQ(ask(a, rules).kind, Kind::go);
  EXPECT_EQ(ask(a, rules).kind, Kind::full);
  EXPECT_EQ(redis.command({"GET", "{tanggul:o:o}:day"}).text, "1");
  rules.concurrency = 2;
  EXPECT_EQ(ask(a, rules).kind, Kind::used_up);  // the rate
  EXPECT_EQ(redis.command({"GET", "{tanggul:o:o}:day"}).text, "1");
  EXPECT_EQ(redis.command({"ZCARD", "{tanggul:o:o}:places"}).text, "1");
}

TEST_F(RedisLimits, RestForWhomTheOriginAskedForIt) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  const ports::SharedRules rules;
  finish(a, rules, ask(a, rules), AttemptSample::ignored, 2s, "cred");
  EXPECT_EQ(ask(b, rules).kind, Kind::go);
  const AttemptLeave paused = ask(b, rules, 0ms, "cred");
  ASSERT_EQ(paused.kind, Kind::paused);
  EXPECT_GT(paused.wait, 1s);
  EXPECT_LE(paused.wait, 2s);
  finish(a, rules, ask(a, rules), AttemptSample::ignored, 1s);
  EXPECT_EQ(ask(b, rules).kind, Kind::paused);
  EXPECT_TRUE(until([&] { return b.heard.pauses.size() == 2; }));
  EXPECT_EQ(b.heard.pauses[0], "o/cred/" + std::to_string(2.0));
  EXPECT_EQ(b.heard.pauses[1], "o//" + std::to_string(1.0));
  // A shorter one does not shorten the longer.
  finish(a, rules, AttemptLeave(), AttemptSample::ignored, 1ms);
  EXPECT_EQ(ask(b, rules).kind, Kind::paused);
}

TEST_F(RedisLimits, TheRestOfAnOriginAndOfAllCredentialsEndsAtOnceWhenItIsEnded) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  const ports::SharedRules rules;
  for (const char* whose : {"one", "two", ""})
    finish(a, rules, AttemptLeave(), AttemptSample::ignored, 60s, whose);
  EXPECT_TRUE(until([&] { return ask(b, rules).kind == Kind::paused; }));
  b.member->end_pauses("o");
  for (const char* whose : {"", "one", "two"})
    EXPECT_TRUE(until([&] { return ask(a, rules, 0ms, whose).kind == Kind::go; })) << whose;
  EXPECT_TRUE(redis.command({"KEYS", "*:pause*"}).items.empty());
  EXPECT_TRUE(redis.command({"KEYS", "*:resting"}).items.empty());
}

TEST_F(RedisLimits, PlacesAreRenewedWhileTheirAttemptsRun) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  ports::SharedRules rules;
  rules.concurrency = 2;
  const AttemptLeave first = ask(a, rules), second = ask(a, rules);
  finish(a, rules, second, AttemptSample::ignored);
  const auto score = [&] {
    const auto reply = redis.command({"ZSCORE", "{tanggul:o:o}:places", first.place});
    return reply.nil() ? 0.0 : std::stod(reply.text);
  };
  const double before = score();
  EXPECT_TRUE(until([&] { return score() > before; }));
  // After a loss of the store, too.
  redis.command({"FLUSHALL"});
  EXPECT_TRUE(until([&] { return score() > before; }));
  EXPECT_EQ(redis.command({"ZCARD", "{tanggul:o:o}:places"}).text, "1");
}

// The 15 s pass by the score here; limits_cluster_test waits for them.
TEST_F(RedisLimits, PlacesOfANodeThatDiedComeBack) {
  test::RedisServer redis;
  ports::SharedRules rules;
  rules.concurrency = 1;
  Apart dying(config(redis.url(), "a"));
  ASSERT_TRUE(dying.until([&] { return dying.node.heard.up(); }));
  ASSERT_EQ(dying.ask({.origin = "o", .rules = rules}).kind, Kind::go);
  Node& b = node_of(redis, "b");
  EXPECT_EQ(ask(b, rules).kind, Kind::full);
  // As 15 s later.
  const auto scored = redis.command({"ZRANGE", "{tanggul:o:o}:places", "0", "-1", "WITHSCORES"});
  ASSERT_EQ(scored.items.size(), 2u);
  const auto earlier = std::stoll(scored.items[1].text) - 15'000'000;
  redis.command({"ZADD", "{tanggul:o:o}:places", std::to_string(earlier), scored.items[0].text});
  EXPECT_EQ(ask(b, rules).kind, Kind::go);
}

}  // namespace
}  // namespace tanggul::redis
