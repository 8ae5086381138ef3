#include "shield/gate.h"

#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

using State = policy::BreakerState;

struct Visitor {
  ports::Call call;
  ports::Reply reply;
  std::string target;
  std::vector<std::pair<std::string, std::string>> lines;
  std::string head, text;
  bool done = false;

  bool says(std::string_view what) const {
    return head.find(what) != std::string::npos || text.find(what) != std::string::npos;
  }
  std::size_t events() const {
    std::size_t n = 0;
    for (auto at = text.find("event: "); at != std::string::npos; at = text.find("event: ", at + 1))
      ++n;
    return n;
  }
};

Task<void> visit(Gate& gate, Visitor& v) {
  co_await gate.answer(v.call, v.reply);
  v.head = std::string(v.reply.head) + v.reply.lines;
  v.text = v.reply.body;
  while (v.reply.stream && !v.call.waiter->closed()) {
    const auto piece = co_await v.reply.stream->next(v.call.waiter);
    if (!piece || piece->size == 0) break;
    v.text += piece->memory;
  }
  v.done = true;
  v.reply.reset();
}

class GateTest : public PipelineTest {
 protected:
  GateTest() {
    origin_config.retry.attempts = 1;
    origin_config.breaker.min_requests = 5;
    build();
    gate_ = std::make_unique<Gate>(*shield_, origin, io.get_executor());
  }
  ~GateTest() override {
    for (auto& v : visitors_) v.call.waiter->close();
    settle();
  }

  Visitor& come(std::string target = "/.tanggul/gate/o",
                std::vector<std::pair<std::string, std::string>> lines = {
                    {"Accept", "text/event-stream"}}) {
    Visitor& v = visitors_.emplace_back();
    v.target = std::move(target);
    v.lines = std::move(lines);
    v.call.head.method = "GET";
    v.call.head.target = v.target;
    for (const auto& [name, value] : v.lines) v.call.head.headers.push_back({name, value});
    v.call.waiter = async::Waiter::make(io.get_executor());
    async::spawn(io.get_executor(), "visitor", visit(*gate_, v));
    settle();
    return v;
  }
  void go_down() {
    origin.plays({dead(Errc::refused)});
    for (int i = 0; i < 5; ++i) send("/o/broken" + std::to_string(i));
    ASSERT_EQ(state().breaker_state(clock.now().mono), State::open);
    origin.seen.clear();
  }

  std::unique_ptr<Gate> gate_;
  std::deque<Visitor> visitors_;
};

TEST_F(GateTest, TellsAtOnceThatAHealthyOriginServes) {
  origin.plays({page("x")});
  send("/o/a");
  origin.seen.clear();
  Visitor& v = come();
  EXPECT_TRUE(v.says("Content-Type: text/event-stream"));
  EXPECT_TRUE(v.says("\"serving\":true"));
  EXPECT_FALSE(v.done);
  EXPECT_TRUE(origin.seen.empty());
  EXPECT_TRUE(come("/.tanggul/gate/o", {}).says("HTTP/1.1 200 OK"));
}

TEST_F(GateTest, WhereNothingIsKnownOneProbeFindsOutBeforeTheFirstWord) {
  Answer ok = page("");
  ok.takes = 100ms;
  origin.plays({ok});
  Visitor& events = come();
  Visitor& plain = come("/.tanggul/gate/o", {});
  EXPECT_EQ(events.text, "");
  pass(200ms);
  EXPECT_TRUE(events.says("\"serving\":true"));
  EXPECT_EQ(events.events(), 1U);
  EXPECT_TRUE(plain.says("HTTP/1.1 200 OK"));
  EXPECT_EQ(origin.seen.size(), 1U);
  pass(2min);  // who stays is told of a change, and the origin is not asked meanwhile
  EXPECT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(events.events(), 1U);
}

TEST_F(GateTest, AFreshShieldInFrontOfADeadOriginLetsNobodyThrough) {
  origin_config.breaker.min_requests = 1000;  // the breaker stays closed
  build();
  gate_ = std::make_unique<Gate>(*shield_, origin, io.get_executor());
  origin.plays({dead(Errc::refused)});
  Visitor& events = come();
  EXPECT_TRUE(come("/.tanggul/gate/o", {}).says("HTTP/1.1 503"));
  EXPECT_TRUE(events.says("\"serving\":false"));
  pass(10s);
  EXPECT_FALSE(events.says("\"serving\":true"));
  EXPECT_LE(origin.seen.size(), 12U);  // one a second
  origin.plays({page("")});
  pass(2s);
  EXPECT_TRUE(events.says("\"serving\":true"));
}

TEST_F(GateTest, AnOriginWhoseLastAnswerWasAFailureIsAskedOnceMore) {
  origin.plays({broken(500), page("")});
  send("/o/a");
  Visitor& v = come();
  pass(100ms);
  EXPECT_TRUE(v.says("\"serving\":true"));
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(GateTest, OneFailureOfTheDayDoesNotTakeAWordBack) {
  origin.plays({page(""), broken(500), page("x")});
  Visitor& v = come();
  ASSERT_TRUE(v.says("\"serving\":true"));
  send("/o/bad");
  pass(2s);
  EXPECT_EQ(v.events(), 1U);
}

TEST_F(GateTest, TheProbeGoesWhereTheConfigurationSays) {
  origin_config.probe = "/healthy";
  build();
  gate_ = std::make_unique<Gate>(*shield_, origin, io.get_executor());
  origin.plays({page("")});
  come();
  ASSERT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(origin.seen[0].target, "/base/healthy");
}

TEST_F(GateTest, FindsOutByItselfThatTheOriginIsBackAndTellsAll) {
  go_down();
  std::vector<Visitor*> all;
  for (int i = 0; i < 100; ++i) all.push_back(&come());
  EXPECT_TRUE(all[0]->says("\"serving\":false"));
  pass(5s);
  EXPECT_TRUE(origin.seen.empty());
  pass(12s);
  EXPECT_EQ(origin.seen.size(), 1U);  // one probe for all of them, and it failed
  EXPECT_EQ(origin.seen[0].method, "HEAD");
  EXPECT_EQ(origin.seen[0].target, "/base/");
  origin.plays({page("")});
  pass(35s);
  EXPECT_EQ(state().breaker_state(clock.now().mono), State::closed);
  EXPECT_EQ(origin.seen.size(), 4U);  // and three that closed it
  for (Visitor* v : all) EXPECT_TRUE(v->says("\"serving\":true"));
  EXPECT_EQ(shield_->flights().size(), 0U);
}

TEST_F(GateTest, LeavesNothingBehindWhenEverybodyHasLeft) {
  go_down();
  Visitor& v = come();
  pass(1s);
  EXPECT_EQ(state().watchers(), 1U);
  v.call.waiter->close();
  settle();
  EXPECT_TRUE(v.done);
  EXPECT_EQ(state().watchers(), 0U);
  EXPECT_EQ(shield_->flights().size(), 0U);
  pass(60s);
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(GateTest, HeldRequestsAreTheProbesBeforeTheGatesOwn) {
  origin_config.hold.by_default = true;
  build();
  gate_ = std::make_unique<Gate>(*shield_, origin, io.get_executor());
  go_down();
  come();
  Client& held = send("/o/wanted");
  origin.plays({page("ok")});
  pass(17s);
  EXPECT_TRUE(held.says("200 OK"));
  EXPECT_EQ(state().breaker_state(clock.now().mono), State::closed);
}

TEST_F(GateTest, APlainRequestWaitsAsLongAsItPrefers) {
  go_down();
  Visitor& now = come("/.tanggul/gate/o", {});
  EXPECT_TRUE(now.says("HTTP/1.1 503"));
  EXPECT_TRUE(now.says("Retry-After: "));
  Visitor& ends = come("/.tanggul/gate/o", {{"Prefer", "wait=5"}});
  Visitor& waits = come("/.tanggul/gate/o", {{"Prefer", "wait=100"}});
  pass(6s);
  EXPECT_TRUE(ends.says("HTTP/1.1 503"));
  EXPECT_TRUE(ends.says("Preference-Applied: wait=5"));
  EXPECT_FALSE(waits.done);
  origin.plays({page("")});
  pass(15s);
  EXPECT_TRUE(waits.says("HTTP/1.1 200 OK"));
}

TEST_F(GateTest, AnOriginThatRestsAfterA429DoesNotServe) {
  origin.plays({broken(429, headers({{"Retry-After", "20"}})), page("ok")});
  send("/o/a");
  Visitor& v = come();
  EXPECT_TRUE(v.says("\"serving\":false"));
  pass(19s);
  EXPECT_FALSE(v.says("\"serving\":true"));
  pass(2s);
  EXPECT_TRUE(v.says("\"serving\":true"));
}

TEST_F(GateTest, SaysThatItIsStillThere) {
  Visitor& v = come();
  pass(16s);
  EXPECT_TRUE(v.says("\n: still here\n"));
  EXPECT_EQ(v.events(), 1U);
}

TEST_F(GateTest, EndsWhenTheProcessDoes) {
  go_down();
  Visitor& v = come();
  shield_->drain();
  settle();
  EXPECT_TRUE(v.done);
}

TEST_F(GateTest, KnowsOnlyOrigins) {
  Visitor& v = come("/.tanggul/gate/nothing");
  EXPECT_TRUE(v.says("404"));
  EXPECT_TRUE(v.says("origins: o"));
  EXPECT_TRUE(come("/.tanggul/peer").says("unknown-mount"));
}

TEST_F(GateTest, AfterAReloadItAsksTheServerThatIsNamedNow) {
  Visitor& v = come();
  origin_config.upstreams = {{"http://mended.test", ""}};
  reload();
  go_down();
  pass(20s);
  EXPECT_TRUE(v.says("\"serving\":false"));
  ASSERT_FALSE(origin.seen.empty());
  for (const auto& request : origin.seen) EXPECT_EQ(request.base, "http://mended.test");
}

TEST_F(GateTest, EndsWhenItsOriginIsNamedNoLonger) {
  go_down();
  Visitor& v = come();
  origin_config.name = "p";
  origin_config.mount = "/p/";
  reload();
  pass(1s);
  EXPECT_TRUE(v.done);
}

}  // namespace
}  // namespace tanggul::shield
