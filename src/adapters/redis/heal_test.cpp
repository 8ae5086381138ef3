#include "adapters/redis/node_for_test.h"

namespace tanggul::redis {
namespace {

using ports::AttemptLeave;

// Keys of ours in which somebody has put a value of another type.
class RedisHeal : public RedisTest {
 protected:
  static void spoil(const test::RedisServer& redis, const std::string& key) {
    redis.command({"DEL", key});
    redis.command({"LPUSH", key, "x"});
  }
  static std::string type(const test::RedisServer& redis, const std::string& key) {
    return redis.command({"TYPE", key}).text;
  }
  AttemptLeave ask(Node& node) {
    Patience p(5s);
    return await(node.lane.limits->ask({.origin = "o", .rules = all_rules(), .may_wait = 1s}, p));
  }
  static void expect_never_down(const Node& node) {
    EXPECT_EQ(node.heard.reach.size(), 1u);
    EXPECT_TRUE(node.heard.up());
  }
};

TEST_F(RedisHeal, ALimitIsKeptAgainFromTheNextAttemptOn) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  const std::pair<const char*, const char*> limits[] = {
      {"breaker", "hash"}, {"rate", "hash"}, {"places", "zset"}, {"day", "string"}};
  for (const auto& [what, is] : limits) {
    const std::string key = std::string("{tanggul:o:o}:") + what;
    for (int i = 0; i < 10; ++i) {
      spoil(redis, key);
      const AttemptLeave leave = ask(node);
      EXPECT_EQ(leave.kind, AttemptLeave::Kind::go) << what;
      EXPECT_EQ(type(redis, key), is);
      node.lane.limits->finish({.origin = "o",
                                .place = leave.place,
                                .rules = all_rules(),
                                .generation = leave.generation,
                                .sample = ports::AttemptSample::success});
    }
  }
  // Every place has been given back.
  EXPECT_EQ(ask(node).kind, AttemptLeave::Kind::go);
  EXPECT_EQ(ask(node).kind, AttemptLeave::Kind::go);
  EXPECT_EQ(ask(node).kind, AttemptLeave::Kind::full);
  expect_never_down(node);
}

TEST_F(RedisHeal, AnAttemptsEndIsDoneAllTheSame) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  for (const char* what : {"places", "breaker"}) {
    const AttemptLeave leave = ask(node);
    ASSERT_EQ(leave.kind, AttemptLeave::Kind::go);
    const std::string key = std::string("{tanggul:o:o}:") + what;
    spoil(redis, key);
    const std::string credential = std::string("c") + what;
    node.lane.limits->finish({.origin = "o",
                              .place = leave.place,
                              .rules = all_rules(),
                              .generation = leave.generation,
                              .sample = ports::AttemptSample::success,
                              .pause = 60s,
                              .credential = credential});
    EXPECT_TRUE(until([&] {
      return redis.command({"EXISTS", "{tanggul:o:o}:pause:" + credential}).integer() == 1;
    })) << what;
    EXPECT_NE(type(redis, key), "list");
  }
  EXPECT_EQ(redis.command({"ZCARD", "{tanggul:o:o}:places"}).integer(), 0);
  expect_never_down(node);
}

TEST_F(RedisHeal, WhoLivesIsCountedAndPurgesAreToldAllTheSame) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  EXPECT_TRUE(until([&] { return a.heard.nodes == 2 && b.heard.nodes == 2; }));
  spoil(redis, "{tanggul:nodes}");
  EXPECT_TRUE(until([&] { return redis.command({"ZCARD", "{tanggul:nodes}"}).text == "2"; }));
  for (const char* key : {"{tanggul:purges}:head", "{tanggul:purges}:log"}) {
    const std::size_t heard = b.heard.purges.size();
    spoil(redis, key);
    EXPECT_TRUE(await(a.member->purge({{.rule = 1, .what = "x"}})));
    EXPECT_TRUE(until([&] { return b.heard.purges.size() > heard; })) << key;
  }
  expect_never_down(a);
  expect_never_down(b);
}

TEST_F(RedisHeal, ALeaseAndItsCopiesAreWrittenAnew) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  int i = 0;
  for (const char* what : {":l", ":e", ":n", ":w"}) {
    for (bool held : {false, true}) {
      const std::string id = "id" + std::to_string(i++), key = "{tanggul:" + id + "}" + what;
      const bool lease_lost = held && std::string(what) == ":l";
      if (!held) spoil(redis, key);
      EXPECT_EQ(acquire(node, id, "t").kind, Acquired::Kind::held) << key;
      if (held) spoil(redis, key);
      EXPECT_EQ(
          publish(node, {.id = id, .token = "t", .bytes = "x", .lives = 60s, .holder = "h"}),
          lease_lost ? ports::SharedStore::Published::fenced : ports::SharedStore::Published::yes)
          << key;
      if (lease_lost) continue;
      const auto seen = look(node, id).copies;
      ASSERT_TRUE(seen.entry) << key;
      EXPECT_EQ(seen.entry->bytes, "x");
      EXPECT_EQ(seen.holders.size(), 1u) << key;
      spoil(redis, key);
      EXPECT_TRUE(look(node, id).available) << key;
    }
  }
  expect_never_down(node);
}

TEST_F(RedisHeal, TheAccountOfAllCopiesIsKeptAgain) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  const std::pair<const char*, const char*> keys[] = {
      {":dies", "zset"}, {":weighs", "hash"}, {":sum", "string"}, {":charged", "zset"}};
  for (const auto& [what, is] : keys) {
    const std::string key = std::string("{tanggul:memory}") + what;
    spoil(redis, key);
    acquire(node, what, "t");
    EXPECT_EQ(publish(node, {.id = what, .token = "t", .bytes = "x", .lives = 60s}),
              ports::SharedStore::Published::yes);
    EXPECT_TRUE(until([&] { return type(redis, key) == is; })) << key;
  }
  expect_never_down(node);
}

}  // namespace
}  // namespace tanggul::redis
