#include "shield/cluster_for_test.h"
#include "shield/purge.h"

namespace tanggul::shield {
namespace {

TEST_F(ClusterTest, OneFetchServesAllWhoWaitOnAllNodes) {
  Answer slow = page("hello");
  slow.takes = 1s;
  origin.plays({slow});
  for (int i = 0; i < 20; ++i)
    for (const char* node : {"a", "b", "c"}) send(node, "/o/a");
  pass(2s);
  EXPECT_EQ(origin.seen.size(), 1U);
  for (const Client& c : clients) {
    ASSERT_TRUE(c.done);
    EXPECT_EQ(c.body, "hello");
  }
  EXPECT_EQ(coalesced(), 59);
  for (const char* node : {"a", "b", "c"}) {
    EXPECT_TRUE(send(node, "/o/a").says("Cache-Status: tanggul; hit")) << node;
    EXPECT_EQ(nodes[node]->shield->flights().size(), 0U);
  }
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AFollowerSaysThatItHasFollowed) {
  Answer slow = page("hello");
  slow.takes = 1s;
  origin.plays({slow});
  send("a", "/o/a");
  Client& other = send("b", "/o/a");
  pass(2s);
  EXPECT_TRUE(other.says("detail=lease-follow")) << other.head;
}

TEST_F(ClusterTest, ABodyReachesTheOtherNodesWhileItArrives) {
  Answer slow = page(big_body());
  slow.pause_in_body = 5s;
  origin.plays({slow});
  Client& first = send("a", "/o/big");
  Client& other = send("b", "/o/big");
  pass(1s);
  EXPECT_FALSE(other.done);
  EXPECT_FALSE(other.head.empty());
  EXPECT_GE(other.body.size(), 1'499'990U);
  pass(5s);
  finish(other);
  finish(first);
  EXPECT_EQ(other.body.size(), slow.body.size());
  EXPECT_EQ(first.body.size(), slow.body.size());
  EXPECT_TRUE(other.whole);
  EXPECT_TRUE(other.body == slow.body);
  EXPECT_TRUE(first.body == slow.body);
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, WhatLandedBetweenAMissAndTheTakeOffIsNotFetchedAgain) {
  origin.plays({page("once")});
  send("a", "/o/a");
  pass(1s);
  // The look finds nothing, as if it had been taken before the landing; the lease finds the copy.
  nodes["b"]->cluster->on_reach(false, "for the look");
  EXPECT_EQ(send("b", "/o/a").body, "once");
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AColdNodeServesWhatAnotherHasStored) {
  origin.plays({page("once")});
  send("a", "/o/a");
  Client& cold = send("b", "/o/a");
  EXPECT_EQ(cold.body, "once");
  EXPECT_TRUE(cold.says("Cache-Status: tanggul; hit")) << cold.head;
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AColdNodeServesStaleAndOneNodeRenewsIt) {
  origin.plays({page("one", headers({{"Cache-Control", "max-age=5, stale-while-revalidate=30"}})),
                page("two", headers({{"Cache-Control", "max-age=60"}}))});
  send("a", "/o/a");
  pass(7s);
  Client& cold = send("b", "/o/a");
  EXPECT_EQ(cold.body, "one");
  EXPECT_TRUE(cold.says("detail=stale-while-revalidate")) << cold.head;
  send("a", "/o/a");
  pass(1s);
  EXPECT_EQ(origin.seen.size(), 2U);
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(send(node, "/o/a").body, "two") << node;
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, TheLifetimeIsDrawnOnceByTheNodeThatStored) {
  origin.plays({page("once", headers({{"Cache-Control", "max-age=600"}}))});
  send("a", "/o/a");
  const auto key = std::string("o\x1f") + "/a";
  send("b", "/o/a");
  const auto at_a = nodes["a"]->shield->find(key), at_b = nodes["b"]->shield->find(key);
  ASSERT_TRUE(at_a && at_b);
  EXPECT_EQ(at_a->times.expires, at_b->times.expires);
  EXPECT_EQ(at_a->times.cost, at_b->times.cost);
}

TEST_F(ClusterTest, AFailureIsEverybodys) {
  Answer bad = broken(503);
  bad.takes = 500ms;
  origin.plays({bad});
  send("a", "/o/a");
  send("b", "/o/a");
  pass(10s);
  EXPECT_EQ(origin.seen.size(), 3U);
  for (const Client& c : clients) EXPECT_TRUE(c.says("HTTP/1.1 503")) << c.head;
  EXPECT_TRUE(send("c", "/o/a").says("detail=negative"));
  EXPECT_EQ(origin.seen.size(), 3U);
}

TEST_F(ClusterTest, ANotFoundIsRememberedByAll) {
  Answer gone = broken(404, headers({{"Cache-Control", "max-age=60"}}));
  origin.plays({gone});
  send("a", "/o/a");
  EXPECT_TRUE(send("b", "/o/a").says("HTTP/1.1 404"));
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, ALongBodyComesFromTheNeighbourThatHasIt) {
  const std::string body = big_body();
  origin.plays({page(body)});
  finish(send("a", "/o/big"));
  Client& other = send("b", "/o/big");
  finish(other);
  EXPECT_TRUE(other.whole);
  EXPECT_TRUE(other.body == body);
  EXPECT_EQ(origin.seen.size(), 1U);
  // And from there it goes on when the first is gone.
  network.down["http://a.test"] = true;
  Client& third = send("c", "/o/big");
  finish(third);
  EXPECT_TRUE(third.body == body);
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, WhenNoNeighbourHasTheBodyAnyMoreTheOriginIsAsked) {
  origin.plays({page(big_body())});
  finish(send("a", "/o/big"));
  nodes["a"]->shield->erase(std::string("o\x1f") + "/big");
  Client& other = send("b", "/o/big");
  finish(other);
  EXPECT_TRUE(other.whole);
  EXPECT_EQ(other.body.size(), big_body().size());
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, ADeadHolderIsTakenOverFromWithOneMoreFetch) {
  Answer never = page("of the dead");
  never.takes = 1h;
  origin.plays({never, page("again")});
  send("a", "/o/a");
  kill("a");
  Client& b = send("b", "/o/a");
  Client& c = send("c", "/o/a");
  pass(28s);
  EXPECT_FALSE(b.done || c.done);
  EXPECT_EQ(origin.seen.size(), 1U);
  pass(5s);  // its lease was of 30 s
  EXPECT_EQ(b.body, "again");
  EXPECT_EQ(c.body, "again");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, AHalfSentBodyGoesOnUnderTheSameStrongTag) {
  Answer whole = page(big_body(), headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  whole.pause_in_body = 3s;
  const Client& other = break_in_the_middle(whole);
  EXPECT_TRUE(other.whole);
  EXPECT_TRUE(other.body == whole.body);
  EXPECT_LE(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, AHalfSentBodyIsCutWhereNothingProvesTheRestToBeTheSame) {
  Answer whole = page(big_body());
  whole.pause_in_body = 3s;
  EXPECT_FALSE(break_in_the_middle(whole).whole);
}

TEST_F(ClusterTest, AVariantThatAnotherNodeFetchesIsNotTakenForOnesOwn) {
  Answer german =
      page("hallo", headers({{"Cache-Control", "max-age=60"}, {"Vary", "Accept-Language"}}));
  german.takes = 1s;
  Answer english = german;
  english.body = "hello";
  origin.plays({german, english});
  Client& de = send("a", "/o/a", {{"Accept-Language", "de"}});
  Client& en = send("b", "/o/a", {{"Accept-Language", "en"}});
  pass(5s);
  EXPECT_EQ(de.body, "hallo");
  EXPECT_EQ(en.body, "hello");
  EXPECT_EQ(origin.seen.size(), 2U);
  EXPECT_EQ(send("c", "/o/a", {{"Accept-Language", "de"}}).body, "hallo");
  EXPECT_EQ(send("c", "/o/a", {{"Accept-Language", "en"}}).body, "hello");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, WhatIsPrivateIsNobodyElses) {
  Answer own = page("mine", headers({{"Cache-Control", "private"}}));
  own.takes = 1s;
  origin.plays({own});
  send("a", "/o/a");
  Client& other = send("b", "/o/a");
  pass(3s);
  EXPECT_EQ(other.body, "mine");
  EXPECT_EQ(origin.seen.size(), 2U);  // each its own
  EXPECT_FALSE(other.says("X-Cache-Coalesced"));
}

TEST_F(ClusterTest, APurgeHoldsOnAllNodes) {
  origin.plays({page("one"), page("two")});
  send("a", "/o/a");
  send("b", "/o/a");
  const std::string key = std::string("o\x1f") + "/a";
  nodes["a"]->shield->note_purge(cache::Purges::Rule::target, key);
  EXPECT_EQ(nodes["b"]->shield->find(key), nullptr);
  // Not from the copy either, which is older than the purge.
  EXPECT_EQ(send("c", "/o/a").body, "two");
  EXPECT_EQ(send("b", "/o/a").body, "two");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, WhatWasAskedForBeforeAPurgeIsNotStoredAnywhere) {
  Answer slow = page("old");
  slow.takes = 1s;
  origin.plays({slow, page("new")});
  Client& first = send("a", "/o/a");
  nodes["b"]->shield->note_purge(cache::Purges::Rule::target, std::string("o\x1f") + "/a");
  pass(2s);
  EXPECT_EQ(first.body, "old");
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(send(node, "/o/a").body, "new") << node;
}

TEST_F(ClusterTest, WhoAsksAfterAPurgeDoesNotWaitForWhatWasAskedBefore) {
  Answer old = page("old");
  old.takes = 30s;
  origin.plays({old, page("new", headers({{"Cache-Control", "max-age=600"}}))});
  Client& before = send("a", "/o/a");
  Client& follows = send("c", "/o/a");
  PurgeRequest request;
  request.urls = {"/o/a"};
  EXPECT_TRUE(purge(*nodes["b"]->shield, request).unknown.empty());
  Client& after = send("b", "/o/a");
  pass(1s);
  EXPECT_EQ(after.body, "new");
  EXPECT_EQ(send("a", "/o/a").body, "new");
  pass(31s);
  EXPECT_EQ(before.body, "old");
  EXPECT_TRUE(follows.body == "old" || follows.body == "new") << follows.head;
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(send(node, "/o/a").body, "new") << node;
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, WithoutTheStoreEachNodeFetchesForItself) {
  store.simulate_outage(true);
  origin.plays({page("own")});
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(send(node, "/o/a").body, "own");
  EXPECT_EQ(origin.seen.size(), 3U);
  store.simulate_outage(false);
  EXPECT_EQ(send("a", "/o/b").body, "own");
  EXPECT_EQ(send("b", "/o/b").body, "own");
  EXPECT_EQ(origin.seen.size(), 4U);
}

TEST_F(ClusterTest, AHolderWhoseLeaseRanOutPublishesNothing) {
  Answer slow = page("late");
  slow.takes = 45s;
  origin.plays({slow, page("newer")});
  Client& late = send("a", "/o/a", {{"Prefer", "wait=100"}});
  kill("a");  // stopped: nothing of it is heard …
  pass(31s);
  EXPECT_EQ(send("b", "/o/a").body, "newer");
  nodes["a"]->cut = false;  // … until it goes on
  network.down.clear();
  pass(20s);
  EXPECT_EQ(late.body, "late");  // its own caller gets what was fetched for it
  EXPECT_EQ(nodes["a"]->lost(), 1U);
  EXPECT_EQ(send("a", "/o/a").body, "newer");
  EXPECT_EQ(send("c", "/o/a").body, "newer");
  EXPECT_EQ(origin.seen.size(), 2U);
}

}  // namespace
}  // namespace tanggul::shield
