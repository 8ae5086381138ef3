#include <thread>

#include "adapters/redis/node_for_test.h"
#include "support/eventually.h"

namespace tanggul::redis {
namespace {

using Kind = ports::AttemptLeave::Kind;

// What all nodes of a test have seen together.
struct Seen {
  std::atomic<int> running{0}, most{0}, attempts{0}, full{0}, held{0}, busy{0}, copies{0},
      unavailable{0};
  std::atomic<bool> doubled{false};  // two held one lease at once
  std::array<std::atomic<int>, 8> holders{};
};

// One thread of a node: its loop, its lane, and workers that ask, hold and publish.
struct Worker {
  static constexpr int kRounds = 60;
  static constexpr Duration kLostWake = 1s;  // so long only where a wake was lost

  static Task<void> attempts(ports::SharedLimits& limits, Seen& seen) {
    ports::SharedRules rules;
    rules.concurrency = 5;
    const auto waiter = async::Waiter::make(co_await asio::this_coro::executor);
    limits.watch_places("o", waiter);
    for (int i = 0; i < kRounds;) {
      Patience patience(10s);
      const auto leave = co_await limits.ask({.origin = "o", .rules = rules}, patience);
      if (leave.kind == Kind::full) {
        ++seen.full;
        co_await waiter->wait_until(MonoClock::now() + kLostWake);
        continue;
      }
      if (leave.kind != Kind::go) {
        ++seen.unavailable;
        co_await waiter->wait_until(MonoClock::now() + 20ms);
        continue;
      }
      ++i;
      const int now = ++seen.running;
      int most = seen.most;
      while (now > most && !seen.most.compare_exchange_weak(most, now)) {
      }
      ++seen.attempts;
      Patience other(10s);
      co_await limits.ask({.origin = "another"}, other);  // it takes a while
      --seen.running;
      limits.finish({.origin = "o", .place = leave.place, .rules = rules});
    }
    limits.unwatch_places("o", waiter);
  }

  static Task<void> leases(RedisLane& lane, int me, Seen& seen) {
    const auto waiter = async::Waiter::make(co_await asio::this_coro::executor);
    for (int i = 0; i < kRounds; ++i) {
      const std::size_t number = static_cast<std::size_t>(me + i) % seen.holders.size();
      const std::string id = "id" + std::to_string(number);
      const std::string token = std::to_string(me) + "-" + std::to_string(i);
      lane.leases->watch(id, waiter);
      Patience patience(10s);
      auto looked = co_await lane.store->look(id, patience);
      const std::uint64_t known = looked.copies.entry ? looked.copies.entry->version : 0;
      const auto got = co_await lane.leases->acquire(
          {.id = id, .token = token, .holder = "me", .ttl = 60s, .known_entry = known}, patience);
      if (got.kind == Acquired::Kind::held) {
        ++seen.held;
        if (++seen.holders[number] != 1) seen.doubled = true;
        co_await lane.leases->renew(id, token, 60s, patience);
        --seen.holders[number];
        if (i % 2 == 0) {
          lane.leases->release(id, token);
        } else {
          co_await lane.store->publish({.id = id, .token = token, .bytes = token, .lives = 60s},
                                       patience);
        }
      } else if (got.kind == Acquired::Kind::busy) {
        ++seen.busy;
        co_await waiter->wait_until(MonoClock::now() + kLostWake);
      } else if (got.kind == Acquired::Kind::copied) {
        ++seen.copies;
      }
      lane.leases->unwatch(id, waiter);
    }
  }
};

// Three nodes of two lanes each, every lane on a thread of its own.
TEST(RedisThreads, ManyLanesOfManyNodesKeepOneSetOfLimits) {
  const test::RedisServer redis;
  Seen seen;
  struct Loop {
    asio::io_context io{1};
    RedisLane lane;
    async::TaskGroup group;
    std::thread thread;
  };
  struct TestNode {
    MetricSet metrics;
    Heard heard;
    Loop loops[2];
    std::unique_ptr<RedisCluster> cluster;
    std::unique_ptr<ports::Membership> member;
  };
  std::string error;
  RedisConfig config;
  config.address = *RedisAddress::parse(redis.url(), error);
  std::vector<std::unique_ptr<TestNode>> nodes;
  for (int n = 0; n < 3; ++n) {
    auto& node = *nodes.emplace_back(std::make_unique<TestNode>());
    config.node = "n" + std::to_string(n);
    node.cluster = RedisCluster::make(config, node.metrics);
    for (int l = 0; l < 2; ++l) {
      Loop& loop = node.loops[l];
      loop.lane = node.cluster->lane(loop.io.get_executor());
      const int me = 2 * n + l;
      for (int w = 0; w < 3; ++w) {
        loop.group.spawn(loop.io.get_executor(), "attempts",
                         Worker::attempts(*loop.lane.limits, seen));
        loop.group.spawn(loop.io.get_executor(), "leases",
                         Worker::leases(loop.lane, 10 * me + w, seen));
      }
    }
    node.member = node.cluster->join(node.loops[0].io.get_executor(), node.heard);
  }
  for (const auto& node : nodes)
    for (Loop& loop : node->loops)
      loop.thread = std::thread([&loop] { loop.io.run_for(std::chrono::seconds(90)); });
  const auto done = [&] {
    for (const auto& node : nodes)
      for (const Loop& loop : node->loops)
        if (loop.group.running() > 0) return false;
    return true;
  };
  EXPECT_TRUE(test::eventually(done));
  for (const auto& node : nodes) node->cluster->close();
  for (const auto& node : nodes)
    for (Loop& loop : node->loops) {
      loop.thread.join();
      EXPECT_TRUE(loop.io.stopped());
    }
  EXPECT_EQ(seen.attempts, 6 * 3 * Worker::kRounds);
  EXPECT_LE(seen.most, 5);
  EXPECT_GT(seen.most, 1);
  EXPECT_GT(seen.full, 0);
  EXPECT_FALSE(seen.doubled);
  EXPECT_LT(seen.unavailable, 100);  // 10 s of patience are much
  EXPECT_GT(seen.held, 100);
  EXPECT_EQ(async::uncaught_total(), 0u);
}

}  // namespace
}  // namespace tanggul::redis
