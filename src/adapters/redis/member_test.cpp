#include "adapters/redis/node_count.h"
#include "adapters/redis/node_for_test.h"
#include "adapters/redis/purge_log.h"

namespace tanggul::redis {
namespace {

class RedisMember : public RedisTest {
 protected:
  bool purge(Node& node, std::vector<std::string> whats) {
    std::vector<ports::SharedPurge> purges;
    purges.reserve(whats.size());
    for (std::string& what : whats) purges.push_back({.rule = 3, .what = std::move(what)});
    return await(node.member->purge(std::move(purges)));
  }
  static std::string all(const Node& node) {
    std::string out;
    for (const auto& p : node.heard.purges) {
      EXPECT_EQ(p.rule, 3);
      out += std::to_string(p.sequence) + p.what + " ";
    }
    return out;
  }
  // Two nodes that have heard of each other.
  void pair(const test::RedisServer& redis) {
    Node& a = node_of(redis, "a");
    Node& b = node_of(redis, "b");
    EXPECT_TRUE(until([&] { return a.heard.nodes == 2 && b.heard.nodes == 2; }));
  }
};

TEST_F(RedisMember, CountsWhoIsThereAndWhoHasLeft) {
  const test::RedisServer redis;
  pair(redis);
  nodes_[1]->cluster->close();
  EXPECT_TRUE(until([&] { return redis.command({"ZCARD", "{tanggul:nodes}"}).text == "1"; }, 3s));
  EXPECT_TRUE(until([&] { return nodes_[0]->heard.nodes == 1; }));
}

TEST_F(RedisMember, ForgetsANodeThatIsSilent) {
  test::RedisServer redis;
  Node& a = node_of(redis, "a");
  const auto time = redis.command({"TIME"});
  redis.command({"ZADD", "{tanggul:nodes}", time.items[0].text + "000000", "dying"});
  EXPECT_TRUE(until([&] { return a.heard.nodes == 2; }));
  EXPECT_TRUE(until([&] { return a.heard.nodes == 1; }));
}

TEST_F(RedisMember, TellsPurgesToAllInTheirOrder) {
  const test::RedisServer redis;
  pair(redis);
  EXPECT_TRUE(purge(*nodes_[0], {"x", std::string("y z\0", 4)}));
  EXPECT_TRUE(purge(*nodes_[1], {"w"}));
  const std::string expected = std::string("1x 2y z\0 3w ", 12);
  for (const auto& node : nodes_) {
    EXPECT_TRUE(until([&] { return node->heard.purges.size() == 3; }));
    EXPECT_EQ(all(*node), expected);
    EXPECT_TRUE(node->heard.complete);
    EXPECT_EQ(node->heard.place.sequence, 3u);
  }
  EXPECT_EQ(nodes_[0]->heard.place.epoch, nodes_[1]->heard.place.epoch);
}

TEST_F(RedisMember, HearsAtTheNextBeatWhatNoMessageBrought) {
  test::RedisServer redis;
  pair(redis);
  Node& b = *nodes_[1];
  EXPECT_TRUE(purge(*nodes_[0], {"x"}));
  EXPECT_TRUE(until([&] { return b.heard.purges.size() == 1; }));
  // As if a message had been lost: written down, told to nobody.
  redis.command({"HINCRBY", "{tanggul:purges}:head", "sequence", "1"});
  redis.command({"ZADD", "{tanggul:purges}:log", "2", "2 3 silent"});
  EXPECT_TRUE(until([&] { return b.heard.purges.size() == 2; }));
  EXPECT_TRUE(purge(*nodes_[0], {"z"}));
  EXPECT_TRUE(until([&] { return b.heard.purges.size() == 3; }));
  EXPECT_EQ(all(b), "1x 2silent 3z ");
  EXPECT_TRUE(b.heard.complete);
}

TEST_F(RedisMember, ALateNodeHearsAllThatIsKnown) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  std::vector<std::string> many(1234, "p");
  EXPECT_TRUE(purge(a, many));
  Node& late = node_of(redis, "late");
  EXPECT_TRUE(until([&] { return late.heard.purges.size() == many.size(); }));
  EXPECT_TRUE(late.heard.complete);
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(late.heard.purges[i].sequence, i + 1);
}

TEST_F(RedisMember, SaysWhenSomeAreNotKnownAnyMore) {
  test::RedisServer redis;
  Node& a = node_of(redis, "a");
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(purge(a, std::vector<std::string>(670, "p")));
  EXPECT_EQ(redis.command({"ZCARD", "{tanggul:purges}:log"}).text, "10000");
  EXPECT_TRUE(until([&] { return a.heard.place.sequence == 10'050; }));
  EXPECT_TRUE(a.heard.complete);
  Node& late = node_of(redis, "late");
  EXPECT_TRUE(until([&] { return late.heard.place.sequence == 10'050; }));
  EXPECT_FALSE(late.heard.complete);
  EXPECT_EQ(late.heard.purges.size(), 10'000u);
}

TEST_F(RedisMember, AFlushBeginsAnotherEpoch) {
  test::RedisServer redis;
  pair(redis);
  Node& b = *nodes_[1];
  EXPECT_TRUE(purge(*nodes_[0], {"x", "y"}));
  EXPECT_TRUE(until([&] { return b.heard.purges.size() == 2; }));
  const std::string epoch = b.heard.place.epoch;
  redis.command({"FLUSHALL"});
  EXPECT_TRUE(purge(*nodes_[0], {"z"}));
  EXPECT_TRUE(until([&] { return b.heard.purges.size() == 3; }));
  EXPECT_NE(b.heard.place.epoch, epoch);
  EXPECT_EQ(b.heard.place.sequence, 1u);
  EXPECT_EQ(all(b), "1x 2y 1z ");
  EXPECT_TRUE(b.heard.complete);
}

// What it had missed is nowhere any more: only that it has.
TEST_F(RedisMember, WhoWasAwayWhenALogWasLostIsToldThatItMissedSome) {
  test::RedisServer redis;
  Node& here = node_of(redis, "here");
  purge(here, {"one"});
  ASSERT_TRUE(until([&] { return here.heard.place.sequence == 1; }));
  const ports::PurgePlace before = here.heard.place;
  purge(here, {"two"});
  ASSERT_TRUE(until([&] { return here.heard.place.sequence == 2; }));
  redis.command({"FLUSHALL"});
  // Whoever has seen as much as anybody has missed nothing.
  ASSERT_TRUE(until([&] { return here.heard.place.epoch != before.epoch; }));
  EXPECT_TRUE(here.heard.complete);
  Node& away = add_node(config(redis.url(), "away"));
  away.heard.place = before;
  EXPECT_TRUE(until([&] { return !away.heard.complete; }));
  EXPECT_EQ(away.heard.place.epoch, here.heard.place.epoch);
}

TEST_F(RedisMember, WhoComesFirstToANewLogHearsOfWhatItMissedWhenTheOthersCome) {
  test::RedisServer redis;
  Node& first = add_node(config(redis.url(), "first"));
  first.heard.place = {"lost", 5};
  ASSERT_TRUE(until([&] { return first.heard.place.epoch != "lost"; }));
  EXPECT_TRUE(first.heard.complete);
  Node& second = add_node(config(redis.url(), "second"));
  second.heard.place = {"lost", 6};
  EXPECT_TRUE(until([&] { return !first.heard.complete; }));
  EXPECT_TRUE(second.heard.complete);
}

TEST_F(RedisMember, AnOlderStateOfTheStoreIsAnotherEpoch) {
  test::RedisServer redis;
  Node& a = node_of(redis, "a");
  EXPECT_TRUE(purge(a, {"x", "y", "z"}));
  EXPECT_TRUE(until([&] { return a.heard.purges.size() == 3; }));
  redis.command({"HSET", "{tanggul:purges}:head", "sequence", "1"});
  redis.command({"ZREMRANGEBYSCORE", "{tanggul:purges}:log", "2", "+inf"});
  EXPECT_TRUE(until([&] { return a.heard.place.sequence == 1; }));
  EXPECT_TRUE(purge(a, {"w"}));
  EXPECT_TRUE(until([&] { return a.heard.place.sequence == 2; }));
  EXPECT_EQ(all(a), "1x 2y 3z 1x 2w ");
}

TEST_F(RedisMember, WhatIsToldToAMasterThatHadLaggedIsLostToNobody) {
  test::RedisServer redis;
  pair(redis);
  EXPECT_TRUE(purge(*nodes_[0], {"x", "y", "z"}));
  for (const auto& node : nodes_)
    EXPECT_TRUE(until([&] { return node->heard.purges.size() == 3; }));
  // As on the replica that has not got the third.
  redis.command({"HSET", "{tanggul:purges}:head", "sequence", "2"});
  redis.command({"ZREMRANGEBYSCORE", "{tanggul:purges}:log", "3", "+inf"});
  EXPECT_TRUE(purge(*nodes_[0], {"w"}));
  for (const auto& node : nodes_)
    EXPECT_TRUE(until([&] { return node->heard.purges.back().what == "w"; })) << all(*node);
}

TEST_F(RedisMember, ADatabaseIsAClusterOfItsOwn) {
  const test::RedisServer redis;
  Node& zero = node_of(redis, "zero");
  Node& a = add_node(config(redis.url() + "/1", "a"));
  Node& b = add_node(config(redis.url() + "/1", "b"));
  EXPECT_TRUE(until([&] { return a.heard.nodes == 2 && b.heard.nodes == 2; }));
  EXPECT_TRUE(purge(a, {"x"}));
  b.lane.limits->finish({.origin = "o", .pause = 1s});
  EXPECT_TRUE(until([&] { return b.heard.purges.size() == 1 && a.heard.pauses.size() == 1; }));
  EXPECT_TRUE(purge(zero, {"y"}));
  EXPECT_TRUE(until([&] { return !zero.heard.purges.empty(); }));
  EXPECT_EQ(all(zero), "1y ");
  EXPECT_TRUE(zero.heard.pauses.empty());
  EXPECT_EQ(all(a), "1x ");
}

TEST_F(RedisMember, KeepsWhatItCannotTell) {
  test::RedisServer redis;
  pair(redis);
  Node& b = *nodes_[1];
  redis.kill();
  EXPECT_FALSE(purge(*nodes_[0], {"x"}));
  EXPECT_FALSE(purge(*nodes_[0], {"y"}));
  redis.start();
  EXPECT_TRUE(until([&] { return b.heard.purges.size() == 2; }));
  EXPECT_EQ(all(b), "1x 2y ");
}

TEST_F(RedisMember, HearsNothingAfterItsMembershipEnded) {
  const test::RedisServer redis;
  pair(redis);
  nodes_[1]->member.reset();
  EXPECT_TRUE(purge(*nodes_[0], {"x"}));
  EXPECT_TRUE(until([&] { return nodes_[0]->heard.purges.size() == 1; }));
  run_for(50ms);
  EXPECT_TRUE(nodes_[1]->heard.purges.empty());
}

TEST_F(RedisMember, ASetOfNodesThatIsLostMakesNobodyFewer) {
  test::RedisServer redis;
  pair(redis);
  redis.command({"FLUSHALL"});
  redis.kill();
  for (const auto& node : nodes_) EXPECT_TRUE(until([&] { return node->heard.down(); }));
  run_for(100ms);
  redis.start();
  for (const auto& node : nodes_) EXPECT_TRUE(until([&] { return node->heard.up(); }));
  EXPECT_TRUE(until([&] { return redis.command({"ZCARD", "{tanggul:nodes}"}).text == "2"; }));
  for (const auto& node : nodes_) EXPECT_EQ(node->heard.fewest, 0u);
}

TEST(RedisNodeCount, GrowsAtOnceAndShrinksToTheHighestOfWhatHasStood) {
  NodeCount count(5s);
  MonoTime now{};
  EXPECT_TRUE(count.counted(3, now));
  EXPECT_FALSE(count.counted(3, now));
  EXPECT_FALSE(count.counted(1, now));
  EXPECT_FALSE(count.counted(2, now += 2s));
  EXPECT_FALSE(count.counted(1, now += 2s));
  EXPECT_EQ(count.value(), 3u);
  EXPECT_TRUE(count.counted(1, now += 1s));
  EXPECT_EQ(count.value(), 2u);
  EXPECT_FALSE(count.counted(1, now));
  EXPECT_TRUE(count.counted(4, now));
  EXPECT_EQ(count.value(), 4u);
  EXPECT_FALSE(count.counted(1, now += 10s));  // once more than that anew
  EXPECT_FALSE(count.counted(4, now += 4s));   // all are there after all
  EXPECT_FALSE(count.counted(3, now += 4s));
  EXPECT_FALSE(count.counted(3, now += 4s));
  EXPECT_TRUE(count.counted(3, now += 1s));
}

TEST(RedisNodeCount, WhatNobodyCountedHasNotStood) {
  NodeCount count(5s);
  MonoTime now{};
  EXPECT_TRUE(count.counted(3, now));
  EXPECT_FALSE(count.counted(1, now));
  count.not_counted();
  EXPECT_FALSE(count.counted(1, now += 60s));
  EXPECT_FALSE(count.counted(1, now += 4s));
  EXPECT_TRUE(count.counted(1, now += 1s));
}

TEST(RedisPurgeLog, TakesStrangeTextForNothing) {
  for (const char* text : {"", " ", "x", "1", "0 1 a", "1 256 a", "1 x a", "-1 1 a"})
    EXPECT_FALSE(purge_in(text)) << text;
  const auto purge = purge_in("7 255 a b ");
  ASSERT_TRUE(purge);
  EXPECT_EQ(purge->sequence, 7u);
  EXPECT_EQ(purge->rule, 255);
  EXPECT_EQ(purge->what, "a b ");
}

}  // namespace
}  // namespace tanggul::redis
