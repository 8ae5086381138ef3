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

}  // namespace
}  // namespace tanggul::redis
