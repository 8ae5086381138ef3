#include "adapters/redis/node_for_test.h"
#include "adapters/redis/script.h"

namespace tanggul::redis {
namespace {

using Published = ports::SharedStore::Published;

class RedisStore : public RedisTest {
 protected:
  static ports::Publication copy(std::string id, std::string token, std::string bytes,
                                 std::string holder = {}, bool failure = false) {
    return {.id = std::move(id),
            .token = std::move(token),
            .bytes = std::move(bytes),
            .lives = 60s,
            .failure = failure,
            .holder = std::move(holder)};
  }
  std::uint64_t write(Node& node, const std::string& id, const std::string& bytes,
                      const std::string& holder = {}, bool failure = false) {
    const std::uint64_t fence = acquire_knowing(node, id).fence;
    EXPECT_EQ(publish(node, copy(id, "t", bytes, holder, failure)), Published::yes);
    return fence;
  }
  // Whatever is there.
  Acquired acquire_knowing(Node& node, const std::string& id) {
    auto r = request(id, "t");
    const auto seen = look(node, id).copies;
    r.known_entry = seen.entry ? seen.entry->version : 0;
    r.known_failure = seen.failure ? seen.failure->version : 0;
    return acquire(node, r);
  }
};

TEST_F(RedisStore, GivesEveryNodeWhatOneHasPublished) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  const std::string bytes("\0\r\nany", 6);
  const std::uint64_t version = write(a, "id", bytes, "10.0.0.1:80");
  const auto seen = look(b, "id");
  ASSERT_TRUE(seen.available);
  ASSERT_TRUE(seen.copies.entry);
  EXPECT_EQ(seen.copies.entry->bytes, bytes);
  EXPECT_EQ(seen.copies.entry->version, version);
  EXPECT_FALSE(seen.copies.failure);
  EXPECT_EQ(seen.copies.holders, std::vector<std::string>{"10.0.0.1:80"});
  EXPECT_FALSE(look(b, "other").copies.entry);
}

TEST_F(RedisStore, PublishesTheLargestCopy) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  std::string bytes(ports::kLongestShared, 'x');
  bytes[12345] = '\0';
  write(a, "id", bytes);
  EXPECT_EQ(look(a, "id").copies.entry->bytes, bytes);
  acquire_knowing(a, "id");
  EXPECT_EQ(publish(a, copy("id", "t", bytes + "y")), Published::unavailable);
  EXPECT_EQ(acquire_knowing(a, "id").kind, Acquired::Kind::held);  // it was given back
}

TEST_F(RedisStore, IsLookedAtBeforeALeaseIsTaken) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  const std::uint64_t version = write(a, "id", "one", "me:1");
  const Acquired found = acquire(a, "id", "t2");
  ASSERT_EQ(found.kind, Acquired::Kind::copied);
  EXPECT_EQ(found.copies.entry->bytes, "one");
  EXPECT_EQ(found.copies.holders, std::vector<std::string>{"me:1"});
  auto knowing = request("id", "t2");
  knowing.known_entry = version;
  EXPECT_EQ(acquire(a, knowing).kind, Acquired::Kind::held);
  const std::uint64_t failed = acquire(a, knowing).fence;
  EXPECT_EQ(publish(a, copy("id", "t2", "no", "", true)), Published::yes);
  const Acquired failure = acquire(a, knowing);
  ASSERT_EQ(failure.kind, Acquired::Kind::copied);
  EXPECT_FALSE(failure.copies.entry);  // known
  EXPECT_EQ(failure.copies.failure->bytes, "no");
  EXPECT_EQ(failure.copies.failure->version, failed);
  knowing.known_failure = failed;
  EXPECT_EQ(acquire(a, knowing).kind, Acquired::Kind::held);
}

TEST_F(RedisStore, AFailureLiesBesideAnEntryUntilTheNextOne) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  write(a, "id", "one", "me:1");
  write(a, "id", "no", "", true);
  auto seen = look(a, "id").copies;
  EXPECT_EQ(seen.entry->bytes, "one");
  EXPECT_EQ(seen.failure->bytes, "no");
  EXPECT_EQ(seen.holders.size(), 1u);
  write(a, "id", "two");
  seen = look(a, "id").copies;
  EXPECT_EQ(seen.entry->bytes, "two");
  EXPECT_FALSE(seen.failure);
  EXPECT_TRUE(seen.holders.empty());
}

TEST_F(RedisStore, WritesNothingUnderALeaseThatIsAnothersByNow) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  EXPECT_EQ(publish(a, copy("id", "t1", "x")), Published::fenced);
  acquire(a, "id", "t1", 30ms);
  EXPECT_TRUE(until([&] { return acquire(a, "id", "t2").kind == Acquired::Kind::held; }));
  EXPECT_EQ(publish(a, copy("id", "t1", "late")), Published::fenced);
  EXPECT_FALSE(look(a, "id").copies.entry);
  EXPECT_EQ(publish(a, copy("id", "t2", "new")), Published::yes);
  EXPECT_EQ(publish(a, copy("id", "t2", "again")), Published::fenced);  // it was released by it
  EXPECT_EQ(look(a, "id").copies.entry->bytes, "new");
}

TEST_F(RedisStore, WritesNothingOverALaterFence) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  const std::uint64_t fence = acquire(a, "id", "t").fence;
  redis.command({"SET", "{tanggul:id}:e", "0000" + std::to_string(fence + 1) + "later"});
  EXPECT_EQ(publish(a, copy("id", "t", "x")), Published::fenced);
  EXPECT_EQ(look(a, "id").copies.entry->bytes, "later");
}

TEST_F(RedisStore, ReleasesTheLeaseAndWakesWithOnePublication) {
  const test::RedisServer redis;
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  const auto waiter = async::Waiter::make(io_.get_executor());
  static constexpr auto kWait = [](async::WaiterPtr w, bool& woken) -> Task<void> {
    co_await w->wait_until(kForever);
    woken = true;
  };
  bool woken = false;
  b.lane.leases->watch("id", waiter);
  async::spawn(io_.get_executor(), "wait", kWait(waiter, woken));
  write(a, "id", "x");
  EXPECT_TRUE(until([&] { return woken; }));
  b.lane.leases->unwatch("id", waiter);
  EXPECT_EQ(acquire_knowing(b, "id").kind, Acquired::Kind::held);
}

TEST_F(RedisStore, CopiesDieWithTheirTime) {
  const test::RedisServer redis;
  Node& a = node_of(redis);
  acquire(a, "id", "t");
  auto what = copy("id", "t", "x", "me:1");
  what.lives = 80ms;
  EXPECT_EQ(publish(a, what), Published::yes);
  EXPECT_TRUE(until([&] {
    const auto seen = look(a, "id").copies;
    return !seen.entry && seen.holders.empty();
  }));
}

TEST_F(RedisStore, KnowsAtMostSixteenHoldersOfTheVersionTheyName) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  const std::uint64_t version = write(a, "id", "", "h0");
  for (int i = 1; i < 20; ++i) a.lane.store->add_holder("id", version, "h" + std::to_string(i));
  a.lane.store->add_holder("none", version, "x");
  EXPECT_EQ(look(a, "id").copies.holders.size(), 16u);
  a.lane.store->remove_holder("id", "h3");
  EXPECT_EQ(look(a, "id").copies.holders.size(), 15u);
  a.lane.store->add_holder("id", version + 1, "wrong");
  EXPECT_EQ(look(a, "id").copies.holders.size(), 15u);
  EXPECT_GT(std::stoll(redis.command({"PTTL", "{tanggul:id}:w"}).text), 50'000);
  EXPECT_EQ(redis.command({"EXISTS", "{tanggul:none}:w"}).text, "0");
}

TEST_F(RedisStore, HoldsNoMoreThanItsMemoryAndDropsWhatWasWrittenFirst) {
  test::RedisServer redis;
  RedisConfig c = config(redis.url());
  c.memory = 2_MiB;
  Node& a = add_node(c);
  ASSERT_TRUE(until([&] { return a.heard.up(); }));
  const std::string bytes(100 << 10, 'x');
  for (int i = 0; i < 60; ++i) {
    const std::string id = "id" + std::to_string(i);
    acquire(a, id, "t");
    auto what = copy(id, "t", i % 3 ? bytes : std::string(), i % 3 ? "" : "me:1", i % 5 == 1);
    what.lives = std::chrono::seconds(1000 - i);
    ASSERT_EQ(publish(a, what), Published::yes);
    std::int64_t held = 0;
    for (const char* pattern : {"*:e", "*:n"})
      for (const auto& key : redis.command({"KEYS", pattern}).items)
        held += redis.command({"STRLEN", key.text}).integer() + 512;
    ASSERT_LE(held, static_cast<std::int64_t>(2_MiB));
  }
  EXPECT_FALSE(look(a, "id1").copies.failure);
  EXPECT_FALSE(look(a, "id2").copies.entry);
  EXPECT_TRUE(look(a, "id59").copies.entry);
  EXPECT_EQ(redis.command({"EXISTS", "{tanggul:id0}:w"}).text, "0");
  EXPECT_EQ(redis.command({"EXISTS", "{tanggul:id57}:w"}).text, "1");
  // The account is that of what is there.
  const auto counted = redis.command({"ZCARD", "{tanggul:memory}:dies"}).integer();
  EXPECT_EQ(counted, redis.command({"HLEN", "{tanggul:memory}:weighs"}).integer());
  EXPECT_EQ(counted, redis.command({"ZCARD", "{tanggul:memory}:charged"}).integer());
  const auto there =
      redis.command({"KEYS", "*:e"}).items.size() + redis.command({"KEYS", "*:n"}).items.size();
  EXPECT_EQ(counted, static_cast<std::int64_t>(there));
  EXPECT_GT(redis.command({"GET", "{tanggul:memory}:sum"}).integer(), 1 << 20);
}

class RedisAccount : public RedisStore {
 protected:
  Node& small_node(const test::RedisServer& redis) {
    RedisConfig c = config(redis.url());
    c.memory = 2_MiB;
    Node& a = add_node(c);
    EXPECT_TRUE(until([&] { return a.heard.up(); }));
    return a;
  }
  void write_many(Node& node, const std::string& name, int count) {
    const std::string bytes(100 << 10, 'x');
    for (int i = 0; i < count; ++i) write(node, name + std::to_string(i), bytes);
  }
  static std::int64_t held(const test::RedisServer& redis) {
    std::int64_t bytes = 0;
    for (const char* pattern : {"*:e", "*:n"})
      for (const auto& key : redis.command({"KEYS", pattern}).items)
        bytes += redis.command({"STRLEN", key.text}).integer() + 512;
    return bytes;
  }
  static std::string key(const std::string& what) { return "{tanggul:memory}:" + what; }
};

TEST_F(RedisAccount, MendsItselfWhicheverOfItsKeysIsLost) {
  const test::RedisServer redis;
  Node& a = small_node(redis);
  for (const std::string lost : {"weighs", "dies", "sum", "charged", "going"}) {
    write_many(a, "before-" + lost, 20);
    redis.command({"DEL", key(lost)});
    write_many(a, "after-" + lost, 20);
    EXPECT_TRUE(until([&] { return held(redis) <= static_cast<std::int64_t>(2_MiB); })) << lost;
    EXPECT_GT(held(redis), 1 << 20) << lost;
    const auto counted = redis.command({"HLEN", key("weighs")}).integer();
    EXPECT_EQ(redis.command({"ZCARD", key("dies")}).integer(), counted) << lost;
    EXPECT_EQ(redis.command({"ZCARD", key("charged")}).integer(), counted) << lost;
    EXPECT_EQ(static_cast<std::int64_t>(redis.command({"KEYS", "*:e"}).items.size()), counted)
        << lost;
    std::int64_t sum = 0;
    for (const auto& weight : redis.command({"HVALS", key("weighs")}).items)
      sum += weight.integer();
    EXPECT_EQ(redis.command({"GET", key("sum")}).integer(), sum) << lost;
  }
}

TEST_F(RedisAccount, ItemsThatAreDeadAreSweptThoughNobodyKnowsWhatTheyWeigh) {
  const test::RedisServer redis;
  Node& a = small_node(redis);
  for (int i = 0; i < 250; ++i)
    redis.command({"ZADD", key("dies"), std::to_string(i), "edead" + std::to_string(i)});
  write_many(a, "x", 2);
  EXPECT_TRUE(until([&] { return redis.command({"ZCARD", key("dies")}).text == "2"; }));
}

TEST_F(RedisAccount, AShortLifeIsNoReasonToGo) {
  const test::RedisServer redis;
  Node& a = small_node(redis);
  write_many(a, "long", 30);
  acquire(a, "short", "t");
  auto what = copy("short", "t", std::string(10'000, 'n'), "", true);
  what.lives = 20s;
  EXPECT_EQ(publish(a, what), Published::yes);
  EXPECT_TRUE(look(a, "short").copies.failure);
  write_many(a, "more", 5);
  EXPECT_TRUE(look(a, "short").copies.failure);
  EXPECT_FALSE(look(a, "long16").copies.entry);
}

TEST_F(RedisAccount, ALaterCopyThanIsMeantIsNotEvicted) {
  const test::RedisServer redis;
  Node& a = small_node(redis);
  write_many(a, "x", 2);
  // As if this were charged for what was there before.
  redis.command({"ZADD", key("charged"), "1", "ex0"});
  write_many(a, "y", 30);
  EXPECT_TRUE(until([&] { return !look(a, "x1").copies.entry; }));
  EXPECT_TRUE(redis.command({"HGET", key("weighs"), "ex0"}).nil());
  EXPECT_TRUE(look(a, "x0").copies.entry);
}

TEST_F(RedisAccount, WhatAnAnswerThatWasLostHasNamedIsNamedAgain) {
  const test::RedisServer redis;
  const auto charge = [&](const std::string& item, const std::string& lost) {
    const auto reply =
        redis.command({"EVAL", std::string(scripts::kCharge.source), "5", "{m}:d", "{m}:w", "{m}:s",
                       "{m}:c", "{m}:g", "100", item, "60", "60000", "", lost});
    std::string named;
    for (const auto& one : reply.items) named += one.text.substr(20) + " ";
    return named;
  };
  EXPECT_EQ(charge("ea", ""), "");
  EXPECT_EQ(charge("eb", ""), "ea ");
  EXPECT_EQ(charge("eb", "1"), "ea ");
  EXPECT_EQ(charge("ec", ""), "eb ");
}

TEST_F(RedisAccount, AFencedEntryTakesNoFailureAway) {
  const test::RedisServer redis;
  Node& a = small_node(redis);
  write(a, "id", "no", "", true);
  EXPECT_EQ(publish(a, copy("id", "wrong", "x")), Published::fenced);
  EXPECT_TRUE(until([&] { return !redis.command({"HGET", key("weighs"), "nid"}).nil(); }));
  EXPECT_TRUE(redis.command({"HGET", key("weighs"), "eid"}).nil());
}

TEST_F(RedisStore, AFencedPublicationIsNotCounted) {
  test::RedisServer redis;
  Node& a = node_of(redis);
  EXPECT_EQ(publish(a, copy("id", "t1", std::string(10'000, 'x'))), Published::fenced);
  EXPECT_TRUE(until([&] { return redis.command({"GET", "{tanggul:memory}:sum"}).text == "0"; }));
}

}  // namespace
}  // namespace tanggul::redis
