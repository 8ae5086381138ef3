#include "adapters/redis/lane.h"
#include "adapters/redis/node_for_test.h"
#include "support/raw_exchange.h"

namespace tanggul::redis {
namespace {

class RedisChores : public RedisTest {
 protected:
  static bool released(const test::RedisServer& redis, const std::string& id) {
    return redis.command({"STRLEN", "{tanggul:" + id + "}:l"}).text == "20";
  }
  static void fill(const test::RedisServer& redis) {
    redis.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
    redis.command({"CONFIG", "SET", "maxmemory", "1"});
  }
  static void empty(const test::RedisServer& redis) {
    redis.command({"CONFIG", "SET", "maxmemory", "0"});
  }

  static constexpr Duration kLongest = 30s;  // of a lease

  MetricSet metrics_;  // of a lane without a node, whose connection says goodbye in TearDown()
};

TEST_F(RedisChores, OutlastAServerThatIsFullThoughTheConnectionLives) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  ASSERT_EQ(acquire(node, "id", "t").kind, Acquired::Kind::held);
  ports::SharedRules rules;
  rules.concurrency = 1;
  Patience p(5s);
  const auto leave = await(node.lane.limits->ask({.origin = "o", .rules = rules}, p));
  ASSERT_EQ(leave.kind, ports::AttemptLeave::Kind::go);
  fill(redis);
  node.lane.leases->release("id", "t");
  node.lane.limits->finish(
      {.origin = "o", .place = leave.place, .rules = rules, .pause = 60s, .credential = "c"});
  EXPECT_TRUE(until([&] { return node.metric("tanggul_redis_errors_total", "release") > 0; }));
  EXPECT_FALSE(released(redis, "id"));
  // A script that has begun by taking away may write even then.
  EXPECT_TRUE(until([&] {
    return redis.command({"EXISTS", "{tanggul:o:o}:pause:c"}).text == "1" &&
           redis.command({"ZCARD", "{tanggul:o:o}:places"}).text == "0";
  }));
  empty(redis);
  EXPECT_TRUE(until([&] { return released(redis, "id"); }));
}

TEST_F(RedisChores, GoOutOnceWhatIsUnwrittenIsWritten) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  ASSERT_EQ(acquire(node, "id", "t").kind, Acquired::Kind::held);
  redis.freeze();
  for (int i = 0; i < 40; ++i) node.lane.store->add_holder("x", 1, std::string(1 << 20, 'h'));
  node.lane.leases->release("id", "t");
  redis.thaw();
  EXPECT_TRUE(until([&] { return released(redis, "id"); }));
}

TEST_F(RedisChores, OfAMasterThatIsDemotedAreDoneByTheOneThatComes) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  ASSERT_EQ(acquire(node, "id", "t").kind, Acquired::Kind::held);
  redis.command({"REPLICAOF", "127.0.0.1", std::to_string(test::free_port())});
  int i = 0;
  EXPECT_TRUE(until([&] {
    acquire(node, request("x" + std::to_string(i++), "t"), 50ms);
    return node.heard.down();
  }));
  EXPECT_NE(node.heard.reach.back().second.find("READONLY"), std::string::npos)
      << node.heard.reach.back().second;
  node.lane.leases->release("id", "t");
  const MonoTime begun = MonoClock::now();
  EXPECT_EQ(acquire(node, request("y", "t"), Patience::kAtMost).kind, Acquired::Kind::unavailable);
  EXPECT_LT(MonoClock::now() - begun, 100ms);
  redis.command({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(until([&] { return node.heard.up(); }));
  EXPECT_TRUE(until([&] { return released(redis, "id"); }));
  EXPECT_EQ(acquire(node, "id", "t2").kind, Acquired::Kind::held);
}

// Each reconnection takes with it whatever is on its way, however often there is one.
TEST_F(RedisChores, AreAllDoneAfterAnOutageInWhichTheConnectionBrokeOftenUnderThem) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  constexpr int kLeases = 300;
  const auto id = [](int i) { return "id" + std::to_string(i); };
  for (int i = 0; i < kLeases; ++i)
    ASSERT_EQ(acquire(node, request(id(i), "t", kLongest)).kind, Acquired::Kind::held);
  redis.command({"REPLICAOF", "127.0.0.1", std::to_string(test::free_port())});
  const MonoTime begun = MonoClock::now();
  for (int i = 0; i < kLeases; ++i) {
    if (i % 2 == 0) {
      node.lane.leases->release(id(i), "t");
    } else {
      publish(node, {.id = id(i), .token = "t", .bytes = "x", .lives = 60s});
    }
  }
  EXPECT_TRUE(until([&] {
    return node.metric("tanggul_redis_errors_total", "connect") >= 20 &&
           MonoClock::now() - begun > 4s;
  }));
  redis.command({"REPLICAOF", "NO", "ONE"});
  // Of a lease that is over the token is still there.
  int i = 0;
  EXPECT_TRUE(until([&] {
    while (i < kLeases && released(redis, id(i))) ++i;
    return i == kLeases;
  })) << id(i)
      << " is not released";
}

TEST_F(RedisChores, OfWhichThereAreTooManyLoseTheOldest) {
  test::RedisServer redis;
  const auto core = std::make_shared<Core>(config(redis.url()), metrics_);
  const auto lane = Lane::make(core, io_.get_executor());
  lane->start();
  ASSERT_TRUE(until([&] { return lane->serves(); }));
  const auto add = [&](int i) {
    lane->chore({.script = &scripts::kPlaces,
                 .call = {{"places"}, {"60000000", std::to_string(i)}},
                 .op = Op::limits,
                 .worth_until = MonoClock::now() + 60s,
                 .then = {},
                 .again = {}});
  };
  constexpr int kMost = Lane::kMostChores;
  redis.freeze();
  for (int i = 0; i < kMost + 10; ++i) add(i);  // sent, and lost with the connection
  redis.kill();
  EXPECT_TRUE(until([&] { return !lane->serves(); }));
  for (int i = kMost + 10; i < kMost + 20; ++i) add(i);
  redis.start();
  EXPECT_TRUE(until([&] {
    return redis.command({"ZCARD", "places"}).integer() == static_cast<std::int64_t>(kMost);
  }));
  const auto has = [&](int i) {
    return !redis.command({"ZSCORE", "places", std::to_string(i)}).nil();
  };
  EXPECT_FALSE(has(0));
  EXPECT_FALSE(has(19));
  EXPECT_TRUE(has(20));
  EXPECT_TRUE(has(kMost + 19));
  lane->close();
}

}  // namespace
}  // namespace tanggul::redis
