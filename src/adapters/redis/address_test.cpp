#include <gtest/gtest.h>

#include "adapters/redis/redis_cluster.h"

namespace tanggul::redis {
namespace {

RedisAddress good(std::string_view url) {
  std::string error;
  const auto address = RedisAddress::parse(url, error);
  EXPECT_TRUE(address) << url << ": " << error;
  return address.value_or(RedisAddress());
}

std::string bad(std::string_view url) {
  std::string error;
  EXPECT_FALSE(RedisAddress::parse(url, error)) << url;
  return error;
}

TEST(RedisAddress, TakesWhatIsLeftOutFromCustom) {
  const RedisAddress a = good("redis://cache.internal");
  ASSERT_EQ(a.hosts.size(), 1u);
  EXPECT_EQ(a.hosts[0].name, "cache.internal");
  EXPECT_EQ(a.hosts[0].port, "6379");
  EXPECT_EQ(a.database, 0);
  EXPECT_TRUE(a.master.empty() && a.user.empty() && a.password.empty());
}

TEST(RedisAddress, ReadsEachOfItsParts) {
  const RedisAddress a = good("redis://sh%69eld:p%40s%3As%2Fw@[::1]:7000/3");
  EXPECT_EQ(a.user, "shield");
  EXPECT_EQ(a.password, "p@s:s/w");
  EXPECT_EQ(a.hosts.at(0).name, "::1");
  EXPECT_EQ(a.hosts.at(0).port, "7000");
  EXPECT_EQ(a.database, 3);
  const RedisAddress b = good("REDIS://:a@b@127.0.0.1/");
  EXPECT_EQ(b.user, "");
  EXPECT_EQ(b.password, "a@b");
  EXPECT_EQ(b.hosts.at(0).name, "127.0.0.1");
}

TEST(RedisAddress, ReadsSentinels) {
  const RedisAddress a = good("redis-sentinel://:pw@a,b:26380,[fe80::1]/my%20master/2");
  ASSERT_EQ(a.hosts.size(), 3u);
  EXPECT_EQ(a.hosts[0].port, "26379");
  EXPECT_EQ(a.hosts[1].port, "26380");
  EXPECT_EQ(a.hosts[2].name, "fe80::1");
  EXPECT_EQ(a.master, "my master");
  EXPECT_EQ(a.database, 2);
  EXPECT_EQ(a.password, "pw");
}

TEST(RedisAddress, SaysWhatIsWrongWithoutThePassword) {
  for (const char* url : {"",
                          "localhost:6379",
                          "http://a",
                          "redis://",
                          "redis://:6379",
                          "redis://a:0",
                          "redis://a:65536",
                          "redis://a:x",
                          "redis://a/x",
                          "redis://::1",
                          "redis://[::1",
                          "redis://[::1]x",
                          "redis://[abc]",
                          "redis://a,b",
                          "redis://a?x=1",
                          "redis://a/0#f",
                          "redis://user@a",
                          "redis://user:@a",
                          "redis://:sec%2@a",
                          "redis://:sec%zz@a",
                          "redis-sentinel://a",
                          "redis-sentinel://a/",
                          "redis-sentinel://a,,b/m",
                          "redis-sentinel://a,/m",
                          "redis-sentinel://a/m/x",
                          "redis://a b"}) {
    const std::string error = bad(url);
    EXPECT_NE(error.find("redis://["), std::string::npos) << url << ": " << error;
    EXPECT_EQ(error.find("sec"), std::string::npos) << error;
  }
}

TEST(RedisAddress, NamesStunnelForTls) {
  EXPECT_NE(bad("rediss://a").find("stunnel"), std::string::npos);
}

}  // namespace
}  // namespace tanggul::redis
