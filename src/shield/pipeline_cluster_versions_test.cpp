// What is newer than what, and whose, among the nodes.
#include "shield/cluster_for_test.h"

namespace tanggul::shield {
namespace {

TEST_F(ClusterTest, ACopyOfBeforeIsNotTakenForWhatHasJustCome) {
  origin_config.freshness.stale_if_error = 24h;
  std::string old(3'000'000, 'o'), young(3'000'000, 'y');
  origin.plays({page(old, headers({{"Cache-Control", "max-age=5"}, {"ETag", "\"old\""}}))});
  finish(send("a", "/o/big"));
  pass(60s);
  Answer next = page(young, headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"young\""}}));
  next.pause_in_body = 2s;
  origin.plays({next});
  nodes["a"]->shield->erase(std::string("o\x1f") + "/big");
  send("a", "/o/big");
  Client& b = send("b", "/o/big");
  pass(1s);
  nodes["a"]->cut = true;  // what it fetches is not published
  pass(3s);
  finish(b);
  EXPECT_TRUE(b.body == young);
  const auto held = nodes["b"]->shield->find(std::string("o\x1f") + "/big");
  if (held) EXPECT_NE(held->origin_etag, "\"old\"");
}

TEST_F(ClusterTest, WhoAsksHowItIsNowIsNotToldHowItWas) {
  origin.plays({page("one"), page("two")});
  send("a", "/o/a");
  send("b", "/o/a");
  pass(10s);
  // As after a restart: which copy it is a copy of nobody knows any more.
  nodes["b"]->shield->find(std::string("o\x1f") + "/a")->version.set(0);
  EXPECT_EQ(send("b", "/o/a", {{"Cache-Control", "no-cache"}}).body, "two");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, AVersionThatHasChangedMeanwhileIsNoFaultOfTheOrigin) {
  Answer whole = page(big_body(), headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  whole.pause_in_body = 50s;
  Answer changed = page("short", headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"2\""}}));
  origin.plays({whole, changed});
  send("a", "/o/big");
  Client& b = send("b", "/o/big");
  pass(1s);
  network.breaks_after = 1'000'000;
  kill("a");
  pass(70s);
  finish(b);
  EXPECT_FALSE(b.whole);
  Client& after = send("b", "/o/big");
  pass(1s);
  EXPECT_EQ(after.body, "short") << after.head;
}

TEST_F(ClusterTest, ACopyOfAnotherKeyIsNotTakenWhereverItLies) {
  Answer slow = page("of y");
  slow.takes = 1s;
  origin.plays({page("of x"), slow, page("of y again")});
  send("a", "/o/x");
  meddling.forged = meddling.published;
  network.down["http://a.test"] = true;  // so that who follows takes what the store has
  send("a", "/o/y");
  Client& follows = send("b", "/o/y");
  pass(5s);
  EXPECT_EQ(follows.body, "of y again");
  meddling.forged.reset();
  EXPECT_EQ(send("b", "/o/y").body, "of y again");
}

TEST_F(ClusterTest, AWriteThroughOneNodeIsSeenByAll) {
  origin.plays({page("one"), page("two")});
  for (const char* node : {"a", "b"}) send(node, "/o/a");
  nodes["a"]->shield->outdate_target(std::string("o\x1f") + "/a");
  for (const char* node : {"b", "c", "a"}) EXPECT_EQ(send(node, "/o/a").body, "two") << node;
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, ManyWritesOutdateNothingElse) {
  origin.plays({page("kept")});
  for (const char* node : {"a", "b"}) send(node, "/o/kept");
  for (int i = 0; i < 12'000; ++i)
    nodes["a"]->shield->outdate_target("o\x1f/w" + std::to_string(i));
  EXPECT_TRUE(send("b", "/o/kept").says("Cache-Status: tanggul; hit"));
  EXPECT_TRUE(send("c", "/o/kept").says("Cache-Status: tanggul; hit"));
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AFailureThatIsOneNodesOwnIsNotTheOthers) {
  Answer slow = page("hello");
  slow.takes = 2s;
  origin.plays({slow});
  limits.says = {leave(ScriptedLimits::Kind::full)};
  Client& a = send("a", "/o/a");  // finds no place …
  Client& b = send("b", "/o/a");
  pass(4s);
  EXPECT_FALSE(a.done || b.done);
  limits.says = {leave(ScriptedLimits::Kind::go)};
  pass(20s);
  EXPECT_EQ(b.body, "hello") << b.head;
}

TEST_F(ClusterTest, NothingOfTheNodesOwnPathsIsToldWithoutTheSecret) {
  ports::Call call;
  call.head.method = "GET";
  call.head.target = "/.tanggul/peer/entry/00";
  EXPECT_FALSE(nodes["a"]->endpoint->admits(call));
  call.head.headers.push_back({"Tanggul-Auth", "1700000000 00"});
  EXPECT_FALSE(nodes["a"]->endpoint->admits(call));
}

}  // namespace
}  // namespace tanggul::shield
