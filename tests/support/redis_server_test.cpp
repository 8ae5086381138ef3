#include "support/redis_server.h"

#include <gtest/gtest.h>

namespace tanggul::test {
namespace {

TEST(RedisServer, StartsAgainOnItsPortAndIsThenEmpty) {
  RedisServer redis;
  const auto port = redis.port();
  EXPECT_EQ(redis.command({"SET", "a", std::string("x\0y", 3)}).text, "OK");
  EXPECT_EQ(redis.command({"GET", "a"}).text, std::string("x\0y", 3));
  redis.kill();
  EXPECT_THROW(redis.command({"PING"}), std::runtime_error);
  redis.start();
  EXPECT_EQ(redis.port(), port);
  EXPECT_TRUE(redis.command({"GET", "a"}).nil());
  EXPECT_EQ(redis.info("role"), "master");
}

TEST(RedisServer, AsksForItsPassword) {
  const RedisServer one({.password = "secret"});
  EXPECT_TRUE(redis_command(one.port(), {"GET", "a"}).error());
  EXPECT_TRUE(one.command({"GET", "a"}).nil());
  const RedisServer two({.password = "secret", .user = "shield"});
  EXPECT_TRUE(redis_command(two.port(), {"GET", "a"}, {"secret"}).error());
  EXPECT_TRUE(two.command({"GET", "a"}).nil());
}

TEST(RedisServer, RefusesKeysOfTwoSlotsInClusterMode) {
  const RedisServer redis({.cluster = true});
  EXPECT_TRUE(redis.command({"MSET", "a", "1", "b", "2"}).text.starts_with("CROSSSLOT"));
  EXPECT_EQ(redis.command({"MSET", "{a}x", "1", "{a}y", "2"}).text, "OK");
}

TEST(RedisServer, RefusesWritesWhereItIsFullOrAReplica) {
  RedisServer master;
  const RedisServer replica({.replica_of = master.port()});
  EXPECT_TRUE(replica.command({"SET", "a", "1"}).text.starts_with("READONLY"));
  const RedisServer full({.max_memory = "1"});
  EXPECT_TRUE(full.command({"SET", "a", "1"}).text.starts_with("OOM"));
}

TEST(RedisServer, AnswersNothingWhileItIsFrozen) {
  RedisServer redis;
  redis.freeze();
  EXPECT_THROW(redis_command(redis.port(), {"PING"}, {}, std::chrono::milliseconds(50)),
               std::runtime_error);
  redis.thaw();
  EXPECT_EQ(redis.command({"PING"}).text, "PONG");
}

TEST(RedisSentinel, KnowsItsMaster) {
  const RedisServer master;
  const RedisSentinel sentinel("m", master.port());
  EXPECT_EQ(sentinel.master_port(), master.port());
}

}  // namespace
}  // namespace tanggul::test
