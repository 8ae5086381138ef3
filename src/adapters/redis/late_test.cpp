#include "adapters/redis/node_for_test.h"
#include "adapters/redis/slow_proxy_for_test.h"

namespace tanggul::redis {
namespace {

using Kind = Acquired::Kind;

class RedisLate : public RedisTest {
 protected:
  Node& node_behind(const SlowProxy& proxy) {
    Node& node = add_node(config(proxy.url()));
    EXPECT_TRUE(until([&] { return node.heard.up(); }));
    return node;
  }
};

TEST_F(RedisLate, AnswersThatComeTooLateGoToNobodyAndLeaveNoLease) {
  const test::RedisServer redis;
  SlowProxy proxy(io_, redis.port(), {});
  Node& node = node_behind(proxy);
  proxy.set_late(200ms);
  EXPECT_EQ(acquire(node, request("a", "t"), Patience::kAtMost).kind, Kind::unavailable);
  EXPECT_EQ(acquire(node, request("b", "t"), Patience::kAtMost).kind, Kind::unavailable);
  EXPECT_TRUE(until([&] { return redis.command({"STRLEN", "{tanggul:a}:l"}).text == "20"; }));
  proxy.set_late({});
  Acquired got;
  EXPECT_TRUE(until([&] {
    got = acquire(node, request("c", "t"), Patience::kAtMost);
    return got.kind != Kind::unavailable;
  }));
  EXPECT_EQ(got.kind, Kind::held);
  EXPECT_EQ("0000" + std::to_string(got.fence),
            redis.command({"GETRANGE", "{tanggul:c}:l", "0", "19"}).text);
}

TEST_F(RedisLate, AServerThatIsAlwaysLateIsAnOutage) {
  const test::RedisServer redis;
  SlowProxy proxy(io_, redis.port(), {});
  Node& node = node_behind(proxy);
  proxy.set_late(300ms);
  int i = 0;
  EXPECT_TRUE(until([&] {
    acquire(node, request("late" + std::to_string(i++), "t"), Patience::kAtMost);
    return node.heard.down();
  }));
  EXPECT_FALSE(node.heard.reach.back().second.empty());
  proxy.set_late({});
  EXPECT_TRUE(until([&] { return node.heard.up(); }));
}

TEST_F(RedisLate, APurgeOfManyWaitsNoLongerThanOneOfFew) {
  const test::RedisServer redis;
  SlowProxy proxy(io_, redis.port(), {});
  Node& node = node_behind(proxy);
  proxy.set_late(200ms);
  const MonoTime begun = MonoClock::now();
  EXPECT_FALSE(await(node.member->purge(std::vector<ports::SharedPurge>(5'000, {.what = "p"}))));
  EXPECT_LT(MonoClock::now() - begun, 3s);  // 1 s is promised
  // It goes on by itself, and the node says meanwhile that it lives.
  proxy.set_late({});
  EXPECT_TRUE(until([&] { return node.heard.purges.size() == 5'000; }));
  EXPECT_EQ(redis.command({"ZCARD", "{tanggul:nodes}"}).text, "1");
}

}  // namespace
}  // namespace tanggul::redis
