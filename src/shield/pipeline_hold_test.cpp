// What happens to requests while their origin is down, and when it comes back.
#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

using State = policy::BreakerState;

class HoldTest : public PipelineTest {
 protected:
  HoldTest() {
    origin_config.retry.attempts = 1;
    origin_config.breaker.min_requests = 5;
    origin_config.hold.by_default = true;
    origin_config.hold.most = 60s;
    build();
  }

  void build() {
    PipelineTest::build();
    broken_ = 0;
  }
  void go_down() {
    origin.plays({dead(Errc::refused)});
    while (state().breaker_state(clock.now().mono) == State::closed)
      send("/o/broken" + std::to_string(broken_++), {{"Prefer", "wait=0"}});
    origin.seen.clear();
  }
  void come_back(Duration takes = 100ms) {
    Answer a = page("ok");
    a.takes = takes;
    origin.plays({a});
    origin.most_running = 0;
  }
  std::vector<Client*> herd(int n, const std::string& name, const std::string& from = "127.0.0.1") {
    peer = from;
    std::vector<Client*> all;
    for (int i = 0; i < n; ++i) all.push_back(&send("/o/" + name + std::to_string(i)));
    return all;
  }
  static std::size_t with(const std::vector<Client*>& all, std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](Client* c) { return c->says(text); }));
  }
  double held() {
    double value = -1;
    metrics_->visit([&](const MetricSet::Family& family) {
      if (family.name == "tanggul_held_requests") value = family.series.front().read();
    });
    return value;
  }

 private:
  int broken_ = 0;
};

TEST_F(HoldTest, WaitingRequestsGetTheirAnswerOnceTheOriginIsBackFromOneFetch) {
  go_down();
  std::vector<Client*> all;
  for (int i = 0; i < 50; ++i) all.push_back(&send("/o/a"));
  pass(5s);
  EXPECT_EQ(with(all, "HTTP"), 0U);
  EXPECT_EQ(held(), 50);
  EXPECT_TRUE(origin.seen.empty());
  come_back();
  pass(16s);
  EXPECT_EQ(with(all, "200 OK"), 50U);
  EXPECT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(with(all, "X-Cache-Coalesced: true"), 49U);
}

TEST_F(HoldTest, TheHeldAreLetGoByGrowingConcurrencyOldestFirst) {
  origin_config.limit.concurrency = 8;
  origin_config.hold.most = 120s;
  build();
  go_down();
  const auto all = herd(200, "k");
  pass(5s);
  come_back(1s);
  std::vector<int> most_in_a_second;
  while (with(all, "200 OK") < all.size() && most_in_a_second.size() < 100) {
    origin.most_running = origin.running;
    pass(1s);
    most_in_a_second.push_back(origin.most_running);
  }
  EXPECT_EQ(with(all, "200 OK"), 200U);
  EXPECT_EQ(*std::max_element(most_in_a_second.begin(), most_in_a_second.end()), 8);
  for (std::size_t i = 0; i < origin.seen.size(); ++i)
    EXPECT_EQ(origin.seen[i].target, "/base/k" + std::to_string(i));
  // Three probes one after the other, then at most twice as many as the second before.
  int before = 1;
  for (const int most : most_in_a_second) {
    EXPECT_LE(most, std::max(1, 2 * before));
    before = most;
  }
  EXPECT_EQ(shield_->flights().size(), 0U);
}

TEST_F(HoldTest, AProbeThatFailsIsHeldOnAndTheNextProbeIsAnother) {
  go_down();
  Client& poison = send("/o/poison");
  Client& other = send("/o/other");
  pass(16s);  // both still wait; the first has been the probe and has failed
  ASSERT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(origin.seen[0].target, "/base/poison");
  EXPECT_FALSE(poison.done);
  come_back();
  pass(31s);
  EXPECT_TRUE(other.says("200 OK"));
  EXPECT_TRUE(poison.says("200 OK"));
  EXPECT_EQ(origin.seen[1].target, "/base/other");
}

TEST_F(HoldTest, PatienceThatEndsIsAnswered503WithTheTimeOfTheNextProbe) {
  origin_config.hold.most = 5s;
  build();
  go_down();
  Client& c = send("/o/a");
  pass(4s);
  EXPECT_FALSE(c.done);
  pass(2s);
  EXPECT_TRUE(c.says("HTTP/1.1 503"));
  EXPECT_TRUE(c.says("detail=breaker-open"));
  EXPECT_TRUE(c.says("Retry-After: "));
  EXPECT_EQ(held(), 0);
  pass(1s);
  EXPECT_EQ(shield_->flights().size(), 0U);
  EXPECT_TRUE(state().hold().empty());
}

TEST_F(HoldTest, PreferWaitOverridesTheConfigurationEitherWay) {
  go_down();
  Client& now = send("/o/a", {{"Prefer", "wait=0"}});
  EXPECT_TRUE(now.says("HTTP/1.1 503"));
  EXPECT_TRUE(now.says("Preference-Applied: wait=0\r\n"));
  Client& longer = send("/o/b", {{"Prefer", "respond-async, wait=100"}});
  Client& usual = send("/o/c");
  pass(62s);
  EXPECT_TRUE(usual.says("HTTP/1.1 503"));
  EXPECT_FALSE(longer.done);
  pass(40s);
  EXPECT_TRUE(longer.says("HTTP/1.1 503"));
  EXPECT_TRUE(longer.says("Preference-Applied: wait=100\r\n"));
}

TEST_F(HoldTest, InFailModeOnlyThoseThatPreferToAreHeld) {
  origin_config.hold.by_default = false;
  build();
  go_down();
  Client& impatient = send("/o/a");
  Client& patient = send("/o/a", {{"Prefer", "wait=60"}});
  Client& joins = send("/o/a");
  EXPECT_TRUE(impatient.says("HTTP/1.1 503"));
  EXPECT_TRUE(joins.says("HTTP/1.1 503"));
  EXPECT_FALSE(patient.done);
  come_back();
  pass(16s);
  EXPECT_TRUE(patient.says("200 OK"));
  EXPECT_TRUE(patient.says("Preference-Applied: wait=60\r\n"));
}

TEST_F(HoldTest, APatientFollowerOfAnImpatientLeaderIsHeldAllTheSame) {
  origin_config.hold.by_default = false;
  origin_config.limit.concurrency = 1;
  build();
  // The leader waits in the line for the only place while the breaker opens.
  Answer slow = dead(Errc::refused);
  slow.takes = 1s;
  origin.plays({slow});
  origin_config.breaker.min_requests = 1;
  build();
  send("/o/slow");
  Client& leader = send("/o/a");
  Client& follower = send("/o/a", {{"Prefer", "wait=60"}});
  pass(2s);
  EXPECT_TRUE(leader.says("HTTP/1.1 503"));
  EXPECT_FALSE(follower.done);
  come_back();
  pass(16s);
  EXPECT_TRUE(follower.says("200 OK"));
}

TEST_F(HoldTest, WhatIsStaleIsServedInsteadOfHolding) {
  origin.plays({page("old", headers({{"Cache-Control", "max-age=1"}}))});
  send("/o/a");
  pass(20s);
  go_down();
  Client& c = send("/o/a");
  EXPECT_TRUE(c.says("200 OK"));
  EXPECT_TRUE(c.says("detail=stale-if-error"));
  EXPECT_EQ(c.body, "old");
}

TEST_F(HoldTest, ARememberedFailureDoesNotTurnAwayWhoWouldBeHeld) {
  go_down();
  Client& c = send("/o/broken0");  // its failure is remembered
  EXPECT_FALSE(c.done);
  come_back();
  pass(16s);
  EXPECT_TRUE(c.says("200 OK"));
}

TEST_F(HoldTest, NoMoreThanHoldMaxAreHeld) {
  origin_config.hold.max = 10;
  build();
  go_down();
  const auto all = herd(15, "k");
  EXPECT_EQ(with(all, "HTTP/1.1 503"), 5U);
  EXPECT_EQ(held(), 10);
  come_back();
  pass(20s);
  EXPECT_EQ(with(all, "200 OK"), 10U);
}

TEST_F(HoldTest, OneClientHoldsAtMostHalfWhileAnotherWaits) {
  origin_config.hold.max = 10;
  build();
  go_down();
  const auto greedy = herd(10, "k", "10.0.0.1");
  EXPECT_EQ(held(), 10);
  const auto other = herd(6, "m", "10.0.0.2");
  EXPECT_EQ(with(other, "HTTP/1.1 503"), 1U);
  EXPECT_EQ(with(greedy, "HTTP/1.1 503"), 5U);
  EXPECT_EQ(held(), 10);
  come_back();
  pass(20s);
  EXPECT_EQ(with(greedy, "200 OK") + with(other, "200 OK"), 10U);
}

TEST_F(HoldTest, WhenTheLastCallerLeavesNothingIsFetchedForIt) {
  go_down();
  Client& c = send("/o/a");
  c.call.waiter->close();
  settle();
  EXPECT_EQ(shield_->flights().size(), 0U);
  EXPECT_TRUE(state().hold().empty());
  come_back();
  pass(20s);
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(HoldTest, TimeHeldDoesNotCountForTheCallersDeadline) {
  origin_config.deadline = 4s;
  origin_config.hold.most = 30s;
  build();
  go_down();
  Client& c = send("/o/a");
  pass(8s);
  come_back(3s);
  pass(20s);
  EXPECT_TRUE(c.says("200 OK"));
}

TEST_F(HoldTest, AfterTheLongestOutageTheFirstGoodAnswerComesWithinAMinute) {
  origin_config.hold.most = 15min;
  build();
  for (const bool held_requests : {true, false}) {
    SCOPED_TRACE(held_requests);
    origin_config.hold.by_default = held_requests;
    build();
    go_down();
    Client* waits = held_requests ? &send("/o/held") : nullptr;
    const MonoTime end = clock.now().mono + 10min;
    for (int i = 0; clock.now().mono < end; ++i) {
      pass(1s);
      send("/o/" + std::to_string(i));
    }
    come_back();
    const MonoTime back = clock.now().mono;
    bool served = false;
    for (int i = 0; !served && clock.now().mono < back + 2min; ++i) {
      Client& c = send("/o/later" + std::to_string(i));
      pass(1s);
      served = c.says("200 OK") || (waits != nullptr && waits->says("200 OK"));
    }
    EXPECT_TRUE(served);
    EXPECT_LE(clock.now().mono - back, 61s);
    pass(1min);
    EXPECT_LE(origin.most_running, origin_config.limit.concurrency);
  }
}

TEST_F(HoldTest, AnOriginThatFailsAgainWhileTheHerdIsLetGoIsLeftInPeace) {
  origin_config.limit.concurrency = 4;
  origin_config.hold.most = 10min;
  build();
  go_down();
  const auto all = herd(100, "k");
  come_back(1s);
  pass(25s);
  const auto served = with(all, "200 OK");
  ASSERT_GT(served, 5U);
  ASSERT_LT(served, 100U);
  origin.plays({dead(Errc::refused)});
  pass(3s);
  ASSERT_EQ(state().breaker_state(clock.now().mono), State::open);
  const auto asked = origin.seen.size();
  pass(8s);
  EXPECT_EQ(origin.seen.size(), asked);
  come_back(1s);
  pass(2min);
  EXPECT_EQ(with(all, "200 OK"), 100U);  // those that failed meanwhile were held on
  EXPECT_LE(origin.most_running, 4);
}

TEST_F(HoldTest, AnOriginThatAsksForAPauseGetsItBeforeTheRestIsLetGo) {
  go_down();
  const auto all = herd(20, "k");
  Answer busy = broken(429, headers({{"Retry-After", "10"}}));
  Answer ok = page("ok");
  origin.plays({busy, ok});
  pass(16s);
  ASSERT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(with(all, "HTTP/1.1 429"), 1U);
  pass(12s);
  EXPECT_EQ(with(all, "200 OK"), 19U);
}

TEST_F(HoldTest, AHeldUploadIsSentOnceTheOriginIsBack) {
  go_down();
  Client& c = send("/o/a", {}, "POST");
  EXPECT_FALSE(c.done);
  come_back();
  pass(16s);
  EXPECT_TRUE(c.says("200 OK"));
  ASSERT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(origin.seen[0].method, "POST");
}

// The operator's mend of an outage is often another server.
TEST_F(HoldTest, AfterAReloadThatNamesAnotherServerTheHeldAreAskedOfThatOne) {
  origin_config.hold.most = 10min;
  build();
  go_down();
  const auto all = herd(50, "k");
  Answer ok = page("ok");
  ok.takes = 100ms;
  origin.at_base["http://mended.test"] = ok;
  origin_config.upstreams = {{"http://mended.test", ""}};
  reload();
  pass(10s);
  EXPECT_EQ(with(all, "200 OK"), 50U);
  EXPECT_EQ(state().breaker_state(clock.now().mono), State::closed);
  for (const auto& request : origin.seen) EXPECT_EQ(request.base, "http://mended.test");
}

TEST_F(HoldTest, AServiceCredentialDoesNotFollowTheHeldToAnotherServer) {
  origin_config.service_auth = "Bearer of-the-old";
  build();
  go_down();
  Client& c = send("/o/a");
  origin.at_base["http://mended.test"] = page("ok");
  origin_config.upstreams = {{"http://mended.test", ""}};
  origin_config.service_auth = "Bearer of-the-new";
  reload();
  pass(2s);
  EXPECT_TRUE(c.says("200 OK"));
  for (const auto& request : origin.seen)
    EXPECT_EQ(request.headers.find("authorization").value_or(""), "Bearer of-the-new");
}

TEST_F(HoldTest, WhatStillRunsAtTheServerThatWasReplacedSaysNothingOfTheNewOne) {
  Answer slow = dead(Errc::first_byte_timeout);
  slow.takes = 3s;
  origin.plays({slow});
  herd(10, "k");
  origin.at_base["http://mended.test"] = page("ok");
  origin_config.upstreams = {{"http://mended.test", ""}};
  reload();
  pass(4s);
  EXPECT_EQ(state().breaker_state(clock.now().mono), State::closed);
}

TEST_F(HoldTest, ARequestThatFailsForItsOwnSakeIsNotTriedWithoutEndWhileTheHerdIsLetGo) {
  origin_config.limit.concurrency = 2;
  origin_config.hold.most = 10min;
  build();
  go_down();
  herd(10, "k");
  Client& poison = send("/o/poison");
  come_back(200ms);
  Answer fails = broken(500);
  fails.takes = 200ms;
  origin.at_target["/base/poison"] = fails;
  // More come than the origin can take: somebody is held all the time.
  for (int i = 0; i < 60; ++i) {
    herd(12, "n" + std::to_string(i) + "-");
    pass(1s);
  }
  EXPECT_TRUE(poison.says("HTTP/1.1 500"));
  EXPECT_LE(std::count_if(origin.seen.begin(), origin.seen.end(),
                          [](const auto& r) { return r.target == "/base/poison"; }),
            4);
}

TEST_F(HoldTest, WhoIsHeldWhileTheOriginRestsIsToldWhenItsRestEnds) {
  origin_config.hold.most = 20s;
  build();
  go_down();
  const auto all = herd(3, "k");
  origin.plays({broken(429, headers({{"Retry-After", "600"}})), page("ok")});
  pass(16s);
  ASSERT_EQ(with(all, "HTTP/1.1 429"), 1U);
  pass(5s);
  ASSERT_EQ(with(all, "HTTP/1.1"), 3U);
  const auto told = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](Client* c) {
    const auto at = c->head.find("Retry-After: ");
    return at != std::string::npos && std::stoi(c->head.substr(at + 13)) >= 500;
  }));
  EXPECT_EQ(told, 3U);
}

// A probe is given up for lost after its lease: its body may take longer than that.
TEST_F(HoldTest, LargeBodiesCloseTheBreakerAsWell) {
  origin_config.hold.most = 10min;
  build();
  go_down();
  const auto all = herd(8, "k");
  Answer large = page(std::string(100'000, 'x'));
  large.pause_in_body = 90s;
  origin.plays({large});
  pass(9min);
  EXPECT_EQ(state().breaker_state(clock.now().mono), State::closed);
  EXPECT_EQ(with(all, "200 OK"), 8U);
}

TEST_F(HoldTest, ACredentialThatRestsStandsAsideAndLetsTheOthersGo) {
  go_down();
  const auto anonymous = herd(2, "k");
  Client& alice = send("/o/a", {{"Authorization", "Bearer alice"}});
  Client& bob = send("/o/b", {{"Authorization", "Bearer bob"}});
  Client& other = send("/o/c");
  Answer busy = broken(429, headers({{"Retry-After", "20"}}));
  origin.plays({busy, page("ok", headers({{"Cache-Control", "public, max-age=60"}}))});
  pass(17s);
  // The first probe was told to rest, as nobody: whoever has a credential of his own may go.
  EXPECT_TRUE(anonymous[0]->says("HTTP/1.1 429"));
  EXPECT_TRUE(alice.says("200 OK"));
  EXPECT_TRUE(bob.says("200 OK"));
  EXPECT_FALSE(anonymous[1]->done);
  EXPECT_FALSE(other.done);
  pass(20s);
  EXPECT_TRUE(anonymous[1]->says("200 OK"));
  EXPECT_TRUE(other.says("200 OK"));
  ASSERT_EQ(origin.seen.size(), 5U);
  EXPECT_EQ(origin.seen[3].target, "/base/k1");  // and the oldest of those that rested first
  EXPECT_TRUE(state().hold().empty());
}

TEST_F(HoldTest, AHeldPostThatCouldNotEvenConnectIsHeldOn) {
  go_down();
  Client& c = send("/o/a", {}, "POST");
  pass(16s);  // was the probe, and was refused
  ASSERT_EQ(origin.seen.size(), 1U);
  EXPECT_FALSE(c.done);
  origin.plays({dead(Errc::reset)});
  pass(31s);  // this time something may have been sent: it is not sent again
  EXPECT_TRUE(c.says("HTTP/1.1 502"));
}

}  // namespace
}  // namespace tanggul::shield
