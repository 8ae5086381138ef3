#include "adapters/redis/health.h"

#include "adapters/redis/node_for_test.h"

namespace tanggul::redis {
namespace {

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

TEST(RedisHealth, AReasonOfAnotherKindIsToldButNotMoreThanOnceInTenSeconds) {
  VirtualClock clock;
  Gauge gauge;
  Health health(gauge);
  std::vector<std::string> told;
  health.observe([&](bool, const std::string& why) { told.push_back(why); });
  using Told = std::vector<std::string>;
  Told expected{"cannot connect to a:1: Connection refused"};
  for (int i = 0; i < 3; ++i) health.failed(expected[0]);
  EXPECT_EQ(told, expected);
  clock.advance(10s);
  health.failed("cannot connect to b:2: Connection refused");  // the same kind
  EXPECT_EQ(told, expected);
  health.failed("NOAUTH Authentication required.");
  expected.emplace_back("NOAUTH Authentication required.");
  EXPECT_EQ(told, expected);
  clock.advance(9s);
  health.failed("it answers too late");
  EXPECT_EQ(told, expected);
  clock.advance(1s);
  health.failed("NOAUTH Authentication required, still.");
  EXPECT_EQ(told, expected);
  health.failed("it answers too late");
  expected.emplace_back("it answers too late");
  EXPECT_EQ(told, expected);
  EXPECT_FALSE(health.allows());
}

TEST(RedisHealth, TellsAnErrorThatWasAnsweredFromNoAnswer) {
  for (const char* why : {"READONLY You can't write", "OOM", "ERR max number of clients reached"})
    EXPECT_TRUE(answered_with_error(why)) << why;
  for (const char* why : {"", " ", "A", "A host", "cannot connect to A: x", "it answers too late"})
    EXPECT_FALSE(answered_with_error(why)) << why;
}

TEST(RedisHealth, ThreeConnectionsInARowThatAreLostOutweighWhatWentWellBefore) {
  Gauge gauge;
  Health health(gauge);
  for (int i = 0; i < 1000; ++i) health.succeeded(*health.enter());
  for (int i = 0; i < 2; ++i) health.failed("it broke");
  health.succeeded(*health.enter());
  for (int i = 0; i < 2; ++i) health.failed("it broke");
  EXPECT_TRUE(health.allows());
  health.failed("it broke");
  EXPECT_FALSE(health.allows());
  EXPECT_FALSE(health.enter());
}

}  // namespace
}  // namespace tanggul::redis
