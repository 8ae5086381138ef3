// The limits of all nodes together, as one node keeps to them.
#include "shield/cluster_for_test.h"
#include "shield/purge.h"

namespace tanggul::shield {
namespace {

TEST_F(ClusterTest, AnAttemptIsCountedOnceHoweverItEnds) {
  limits.says = {leave(ScriptedLimits::Kind::go)};
  origin.plays({page("ok"), broken(404)});
  EXPECT_EQ(send("a", "/o/a").body, "ok");
  send("a", "/o/b");
  ASSERT_EQ(limits.ended.size(), 2U);
  for (const auto& end : limits.ended) EXPECT_EQ(end.sample, ports::AttemptSample::success);
}

TEST_F(ClusterTest, AFailureOfTheOriginIsTheClustersToCount) {
  limits.says = {leave(ScriptedLimits::Kind::go)};
  origin.plays({broken(503)});
  send("a", "/o/a");
  pass(5s);
  ASSERT_EQ(limits.ended.size(), 3U);  // with its retries
  for (const auto& end : limits.ended) EXPECT_EQ(end.sample, ports::AttemptSample::failure);
}

TEST_F(ClusterTest, WaitsForTheRateThatTheClusterNames) {
  limits.says = {leave(ScriptedLimits::Kind::go, 2s)};
  Client& c = send("a", "/o/a");
  pass(1900ms);
  EXPECT_TRUE(origin.seen.empty());
  pass(200ms);
  EXPECT_TRUE(c.done);
}

TEST_F(ClusterTest, WhereAllPlacesAreTakenItAsksAgainWhenOneComesFree) {
  limits.says = {leave(ScriptedLimits::Kind::full), leave(ScriptedLimits::Kind::full),
                 leave(ScriptedLimits::Kind::go)};
  Client& c = send("a", "/o/a");
  EXPECT_TRUE(origin.seen.empty());
  ASSERT_TRUE(limits.watching);
  limits.watching->wake();
  settle();
  EXPECT_TRUE(c.done);
  EXPECT_EQ(limits.asked, 3);
  EXPECT_FALSE(limits.watching);
}

TEST_F(ClusterTest, WhereNoPlaceComesFreeItSaysSoInTime) {
  limits.says = {leave(ScriptedLimits::Kind::full)};
  Client& c = send("a", "/o/a");
  pass(4s);
  EXPECT_FALSE(c.done);
  pass(3s);  // queue_wait is 5 s
  EXPECT_TRUE(c.says("HTTP/1.1 503")) << c.head;
  EXPECT_TRUE(c.says("detail=limit"));
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(ClusterTest, ADayThatIsUsedUpIsToldWithTheTimeThatItHasLeft) {
  limits.says = {leave(ScriptedLimits::Kind::used_up, 2h)};
  Client& c = send("a", "/o/a");
  EXPECT_TRUE(c.says("HTTP/1.1 503")) << c.head;
  const auto at = c.head.find("Retry-After: ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(std::stoi(c.head.substr(at + 13)), 7200);
}

TEST_F(ClusterTest, AnOpenBreakerOfTheClusterIsThisNodesToo) {
  auto open = leave(ScriptedLimits::Kind::open, 15s);
  open.breaker.state = ports::BreakerView::State::open;
  open.breaker.until = 15s;
  open.breaker.generation = 7;
  limits.says = {open};
  EXPECT_TRUE(send("a", "/o/a").says("detail=breaker-open"));
  const int asked = limits.asked;
  EXPECT_TRUE(send("a", "/o/b").says("detail=breaker-open"));
  EXPECT_EQ(limits.asked, asked);  // it knows
  ports::BreakerView closed;
  closed.generation = 8;
  nodes["a"]->cluster->on_breaker("o", closed);
  limits.says = {leave(ScriptedLimits::Kind::go)};
  origin.plays({page("back")});
  EXPECT_EQ(send("a", "/o/c").body, "back");
}

TEST_F(ClusterTest, APauseThatOneNodeWasAskedForIsEverybodys) {
  nodes["a"]->cluster->on_pause("o", "", 30s);
  EXPECT_TRUE(send("a", "/o/a").says("HTTP/1.1 429"));
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(ClusterTest, APurgeOfAnOriginEndsItsPausesOnAllNodes) {
  nodes["a"]->cluster->on_pause("o", "", 30s);
  PurgeRequest request;
  request.origins = {"o"};
  EXPECT_TRUE(purge(*nodes["b"]->shield, request).unknown.empty());
  EXPECT_EQ(pauses_ended, std::vector<std::string>{"o"});  // once, by the one that was asked
  origin.plays({page("again")});
  EXPECT_EQ(send("a", "/o/a").body, "again");
}

TEST_F(ClusterTest, WhoWaitsForAHolderWhoseOriginIsDownIsToldSo) {
  auto open = leave(ScriptedLimits::Kind::open, 15s);
  open.breaker.state = ports::BreakerView::State::open;
  open.breaker.until = 15s;
  open.breaker.generation = 7;
  Answer slow = page("slow");
  slow.takes = 50s;
  origin.plays({slow});
  send("a", "/o/a");
  limits.says = {open};
  nodes["b"]->cluster->on_breaker("o", open.breaker);
  Client& b = send("b", "/o/a");
  pass(1s);
  EXPECT_TRUE(b.says("detail=breaker-open")) << b.head;
}

}  // namespace
}  // namespace tanggul::shield
