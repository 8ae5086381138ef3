#include "adapters/redis/lane.h"
#include "adapters/redis/node_for_test.h"
#include "support/raw_exchange.h"
#include "tanggul/base/random.h"

namespace tanggul::redis {
namespace {

// Clients that fetch a few hundred keys over and over.
struct Load {
  static constexpr int kKeys = 300;
  bool pause = false, stop = false;
  int running = 0, holding = 0, published = 0;

  static Task<void> client(Load& load, Node& node, int seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const auto waiter = async::Waiter::make(co_await asio::this_coro::executor);
    for (int i = 0; !load.stop; ++i) {
      if (!load.pause) {
        const std::string id = "k" + std::to_string(rng.bits() % kKeys);
        ++load.holding;
        co_await fetch(load, node, id, std::to_string(seed) + "." + std::to_string(i), waiter);
        --load.holding;
      }
      co_await waiter->wait_until(MonoClock::now() + 2ms);
    }
    --load.running;
  }

 private:
  static Task<void> fetch(Load& load, Node& node, std::string id, std::string token,
                          async::WaiterPtr waiter) {
    Patience patience(Patience::kAtMost);
    ports::LeaseRequest request{.id = id, .token = token, .holder = "h", .ttl = 30s};
    const Acquired acquired = co_await node.lane.leases->acquire(std::move(request), patience);
    if (acquired.kind != Acquired::Kind::held) co_return;
    co_await waiter->wait_until(MonoClock::now() + 20ms);
    Patience more(Patience::kAtMost);
    ports::Publication what{.id = id, .token = token, .bytes = "x", .lives = 10ms};
    const auto published = co_await node.lane.store->publish(std::move(what), more);
    if (published == ports::SharedStore::Published::yes) ++load.published;
  }
};

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

// Under load: what is acquired, published, released while it begins and ends.
TEST_F(RedisChores, LeaveNoLeaseBehindAfterAnOutageUnderLoad) {
  const test::RedisServer redis;
  for (const char* name : {"a", "b", "c"}) node_of(redis, name);
  Load load;
  for (int i = 0; i < 24; ++i) {
    ++load.running;
    async::spawn(io_.get_executor(), "client",
                 Load::client(load, *nodes_[static_cast<std::size_t>(i) % 3], i));
  }
  const auto serves = [&] {
    return until([&, before = load.published] { return load.published > before + 300; });
  };
  EXPECT_TRUE(serves());
  for (const bool full : {false, true}) {
    if (full) {
      fill(redis);
    } else {
      redis.command({"REPLICAOF", "127.0.0.1", std::to_string(test::free_port())});
    }
    for (const auto& node : nodes_) EXPECT_TRUE(until([&] { return node->heard.down(); }));
    run_for(4s);
    empty(redis);
    redis.command({"REPLICAOF", "NO", "ONE"});
    for (const auto& node : nodes_) EXPECT_TRUE(until([&] { return node->heard.up(); }));
    EXPECT_TRUE(serves());
    load.pause = true;
    EXPECT_TRUE(until([&] { return load.holding == 0; }));
    int key = 0;
    EXPECT_TRUE(until([&] {
      while (key < Load::kKeys &&
             redis.command({"STRLEN", "{tanggul:k" + std::to_string(key) + "}:l"}).integer() <= 20)
        ++key;
      return key == Load::kKeys;
    })) << "k"
        << key << " is not released, full: " << full;
    load.pause = false;
  }
  load.stop = true;
  EXPECT_TRUE(until([&] { return load.running == 0; }));
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
