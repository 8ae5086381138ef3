#include "adapters/redis/health.h"
#include "adapters/redis/node_for_test.h"
#include "adapters/redis/wakes.h"

namespace tanggul::redis {
namespace {

TEST(RedisShutDown, ANodeThatIsClosedHoldsOnToNoWaiter) {
  const test::RedisServer redis;
  auto io = std::make_unique<asio::io_context>(1);
  RedisConfig config;
  std::string error;
  config.address = *RedisAddress::parse(redis.url(), error);
  auto node = std::make_unique<Node>(*io, config);
  const MonoTime end = MonoClock::now() + 20s;
  while (!node->heard.up() && MonoClock::now() < end) io->run_one_for(10ms);
  auto waiter = async::Waiter::make(io->get_executor());
  node->lane.leases->watch("id", waiter);
  node->lane.limits->watch_places("o", waiter);
  EXPECT_EQ(waiter.use_count(), 3);
  node->cluster->close();
  EXPECT_EQ(waiter.use_count(), 1);
  node->lane.leases->watch("late", waiter);
  node->lane.limits->watch_places("late", waiter);
  EXPECT_EQ(waiter.use_count(), 1);
  node->lane.leases->unwatch("id", waiter);  // does no harm
  io->run_for(10s);
  EXPECT_TRUE(io->stopped());
  waiter.reset();
  node->lane = {};
  node->member.reset();
  io.reset();  // before the cluster
  node.reset();
}

TEST(RedisHealth, LetsGoOfAllWhenItIsClosed) {
  asio::io_context io;
  Gauge gauge;
  Health health(gauge);
  const auto waiter = async::Waiter::make(io.get_executor());
  const auto seen = std::make_shared<int>(0);
  health.wake_on_change(waiter);
  health.observe([seen](bool, const std::string&) { ++*seen; });
  health.close();
  EXPECT_EQ(waiter.use_count(), 1);
  EXPECT_EQ(seen.use_count(), 1);
  health.wake_on_change(waiter);
  health.observe([seen](bool, const std::string&) { ++*seen; });
  for (int i = 0; i < 3; ++i) health.failed("why");
  EXPECT_EQ(*seen, 0);
  EXPECT_EQ(waiter.use_count(), 1);
}

TEST(RedisHealth, ASuccessIsNoReasonToGoDownAndAFailureSaysWhy) {
  Gauge gauge;
  Health health(gauge);
  std::vector<std::pair<bool, std::string>> told;
  health.observe([&](bool up, const std::string& why) { told.emplace_back(up, why); });
  health.failed("a hiccup");
  health.failed("another");
  health.succeeded(*health.enter());
  EXPECT_TRUE(health.allows());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].first);
  health.failed("it broke");
  EXPECT_FALSE(health.allows());
  ASSERT_EQ(told.size(), 2u);
  EXPECT_FALSE(told[1].first);
  EXPECT_EQ(told[1].second, "it broke");
}

}  // namespace
}  // namespace tanggul::redis
