#include "adapters/redis/node_for_test.h"

namespace tanggul::redis {
namespace {

using Renewal = ports::Leases::Renewal;

class RedisLeases : public RedisTest {};

TEST_F(RedisLeases, HaveOneHolderAndTellOthersWhoItIs) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  const Acquired mine = acquire(a, "id", "t1");
  ASSERT_EQ(mine.kind, Acquired::Kind::held);
  EXPECT_GT(mine.fence, 1'600'000'000'000'000u);
  const Acquired other = acquire(b, "id", "t2");
  ASSERT_EQ(other.kind, Acquired::Kind::busy);
  EXPECT_EQ(other.fence, mine.fence);
  EXPECT_EQ(other.holder, "h:t1");
  EXPECT_GT(other.left, 25s);
  EXPECT_LE(other.left, 30s);
  EXPECT_EQ(acquire(b, "another", "t2").kind, Acquired::Kind::held);
}

TEST_F(RedisLeases, TakeAnyByteInIdTokenAndHolder) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  const std::string odd("\0}{\r\n\xff:", 7);
  auto r = request(odd, odd + "t");
  r.holder = odd + "h";
  EXPECT_EQ(acquire(a, r).kind, Acquired::Kind::held);
  const Acquired again = acquire(a, request(odd, "u"));
  EXPECT_EQ(again.kind, Acquired::Kind::busy);
  EXPECT_EQ(again.holder, odd + "h");
  a.lane.leases->release(odd, odd + "t");
  EXPECT_EQ(acquire(a, request(odd, "u")).kind, Acquired::Kind::held);
}

TEST_F(RedisLeases, AreRenewedAndReleasedByTheirTokenAlone) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  acquire(a, "id", "t1", 1s);
  Patience p(5s);
  EXPECT_EQ(await(a.lane.leases->renew("id", "t2", 60s, p)), Renewal::lost);
  EXPECT_EQ(await(a.lane.leases->renew("id", "t1", 60s, p)), Renewal::held);
  EXPECT_GT(acquire(a, "id", "t2").left, 55s);
  a.lane.leases->release("id", "t2");
  EXPECT_EQ(acquire(a, "id", "t2").kind, Acquired::Kind::busy);
  a.lane.leases->release("id", "t1");
  EXPECT_EQ(acquire(a, "id", "t2").kind, Acquired::Kind::held);
  a.lane.leases->release("id", "t1");  // of an earlier holder
  EXPECT_EQ(acquire(a, "id", "t3").kind, Acquired::Kind::busy);
}

// What they cost beside a SET is for the benchmark to say.
TEST_F(RedisLeases, CostOneCommandToTakeToRenewAndToGiveBack) {
  constexpr int kRounds = 200;
  const test::RedisServer redis;
  Node& a = node_of(redis);
  const auto cycle = [&](const std::string& id) {
    EXPECT_EQ(acquire(a, id, "t").kind, Acquired::Kind::held);
    Patience p(5s);
    EXPECT_EQ(await(a.lane.leases->renew(id, "t", 60s, p)), Renewal::held);
    a.lane.leases->release(id, "t");
  };
  cycle("warm");  // the scripts are loaded
  const double before = a.metric("tanggul_redis_commands_total");
  for (int i = 0; i < kRounds; ++i) cycle("id" + std::to_string(i));
  EXPECT_EQ(acquire(a, "last", "t").kind, Acquired::Kind::held);  // behind the last release
  const double commands = a.metric("tanggul_redis_commands_total") - before;
  EXPECT_GE(commands, 3 * kRounds);
  EXPECT_LE(commands, 3 * kRounds + 50);  // and the node's own, a few in a second
}

TEST_F(RedisLeases, EndByThemselves) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  acquire(a, "id", "t1", 50ms);
  EXPECT_TRUE(until([&] { return acquire(a, "id", "t2").kind == Acquired::Kind::held; }));
  Patience p(5s);
  EXPECT_EQ(await(a.lane.leases->renew("id", "t1", 60s, p)), Renewal::lost);
}

TEST_F(RedisLeases, FencesGrowAlsoOverAFlush) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const Acquired got = acquire(a, "id", "t" + std::to_string(i));
    ASSERT_EQ(got.kind, Acquired::Kind::held);
    EXPECT_GT(got.fence, last);
    last = got.fence;
    if (i % 3 == 0) redis.command({"FLUSHALL"});
    if (i % 3 == 1) redis.command({"SCRIPT", "FLUSH"});
    a.lane.leases->release("id", "t" + std::to_string(i));
  }
  EXPECT_GT(std::stoll(redis.command({"TTL", "{tanggul:id}:l"}).text), 24 * 3600);
}

TEST_F(RedisLeases, OfAClockThatWentBackStillGrow) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  const std::uint64_t ahead = acquire(a, "id", "t1").fence + 3'600'000'000u;
  a.lane.leases->release("id", "t1");
  redis.command({"SET", "{tanggul:id}:l", "0000" + std::to_string(ahead)});
  EXPECT_EQ(acquire(a, "id", "t2").fence, ahead + 1);
}

TEST_F(RedisLeases, OfADeadHolderEndAlsoWhereTheClockWentBack) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  const std::uint64_t now = acquire(a, "id", "dead").fence;
  const auto ends_after = [&](std::uint64_t us) {
    redis.command({"SETRANGE", "{tanggul:id}:l", "20", "0000" + std::to_string(now + us)});
  };
  ends_after(45'000'000);  // somebody holds longer
  EXPECT_EQ(acquire(a, "id", "t2").kind, Acquired::Kind::busy);
  ends_after(3'600'000'000);
  const Acquired got = acquire(a, "id", "t2");
  EXPECT_EQ(got.kind, Acquired::Kind::held);
  EXPECT_GT(got.fence, now);
}

TEST_F(RedisLeases, WakeWhoWatchesTheIdOnEveryNode) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  struct Watch {
    async::WaiterPtr waiter;
    bool woken = false;
  };
  static constexpr auto kWait = [](Watch& w) -> Task<void> {
    co_await w.waiter->wait_until(kForever);
    w.woken = true;
  };
  Watch id{async::Waiter::make(io_.get_executor())}, other{async::Waiter::make(io_.get_executor())};
  b.lane.leases->watch("id", id.waiter);
  b.lane.leases->watch("other", other.waiter);
  acquire(a, "id", "t1");
  async::spawn(io_.get_executor(), "wait", kWait(id));
  async::spawn(io_.get_executor(), "wait", kWait(other));
  a.lane.leases->release("id", "t1");
  EXPECT_TRUE(until([&] { return id.woken; }));
  EXPECT_FALSE(other.woken);
  b.lane.leases->unwatch("id", id.waiter);
  b.lane.leases->unwatch("other", other.waiter);
  other.waiter->wake();
  EXPECT_TRUE(until([&] { return other.woken; }));
}

TEST_F(RedisLeases, SpendThePatienceThatTheyUse) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  Patience p(5s);
  await(a.lane.leases->acquire(request("id", "t"), p));
  EXPECT_LT(p.left(), 5s);
  EXPECT_GT(p.left(), 1s);
  Patience none(0ms);
  EXPECT_EQ(await(a.lane.leases->acquire(request("id2", "t"), none)).kind,
            Acquired::Kind::unavailable);
}

}  // namespace
}  // namespace tanggul::redis
