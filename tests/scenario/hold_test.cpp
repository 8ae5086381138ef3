// The bad hour: an origin goes down, requests and jobs wait, it comes back.
#include <csignal>
#include <map>
#include <thread>

#include "base/bytes.h"
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

constexpr const char* kQuick =
    "    retry: { attempts: 1 }\n"
    "    breaker: { min_requests: 5, open_for: 2s, when_open: hold, hold: 120s }\n";

// Under a sanitizer a process is many times as large: fewer of them, and no bound on memory.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kInstrumented = true;
#else
constexpr bool kInstrumented = false;
#endif

RequestSpec asking(std::string target, HeaderList headers = {}) {
  RequestSpec spec;
  spec.target = std::move(target);
  spec.headers = std::move(headers);
  spec.deadline = 150s;
  spec.keep_body = false;
  return spec;
}

void wait_until(const std::function<bool()>& condition, Duration at_most = 60s) {
  ASSERT_TRUE(eventually(condition, at_most));
}

// The origin refuses connections and the breaker has noticed.
void go_down(ScriptedOrigin& origin, TanggulProcess& shield) {
  origin.stop_listening();
  origin.drop_connections();
  for (int i = 0; shield.metric("tanggul_breaker_state") != 2 && i < 100; ++i)
    shield.get("/o/broken" + std::to_string(i), {{"Prefer", "wait=0"}});
  ASSERT_EQ(shield.metric("tanggul_breaker_state"), 2);
}

// So many `tanggul gate`, and when each has ended, and how.
class Gates {
 public:
  Gates(std::size_t n, std::vector<std::string> args) {
    args.insert(args.begin(), {tanggul_binary(), "gate"});
    for (std::size_t i = 0; i < n; ++i)
      gates_.push_back(std::make_unique<Process>(ProcessSpec{.args = args}));
    ends_.resize(n);
  }
  bool ended() {
    bool all = true;
    for (std::size_t i = 0; i < gates_.size(); ++i) {
      if (ends_[i] == MonoTime{} && !gates_[i]->running()) ends_[i] = MonoClock::now();
      all = all && ends_[i] != MonoTime{};
    }
    return all;
  }
  std::map<int, std::size_t> statuses() {
    std::map<int, std::size_t> count;
    for (const auto& g : gates_) ++count[g->wait(1ms).value_or(-1)];
    return count;
  }
  Duration spread() const {
    const auto [first, last] = std::minmax_element(ends_.begin(), ends_.end());
    return *last - *first;
  }
  Process& at(std::size_t i) { return *gates_[i]; }

 private:
  std::vector<std::unique_ptr<Process>> gates_;
  std::vector<MonoTime> ends_;
};

TEST(Hold, WaitingRequestsGetTheirAnswerOnceTheOriginIsBackFromOneFetch) {
  ScriptedOrigin origin(body_of(1000));
  TanggulProcess shield(generic_yaml(origin, kQuick));
  go_down(origin, shield);
  std::vector<ClientResult> results;
  std::thread herd([&] { results = burst(shield.port(), 100, asking("/o/a")); });
  wait_until([&] { return shield.metric("tanggul_held_requests") == 100; });
  origin.reset_counts();
  // Through two probes that find it down still.
  const auto opened = [&] {
    return shield.metric("tanggul_breaker_transitions_total{origin=\"o\",to=\"open\"}");
  };
  const double before = opened();
  wait_until([&] { return opened() >= before + 2; });
  EXPECT_EQ(shield.metric("tanggul_held_requests"), 100);
  const MonoTime back = MonoClock::now();
  origin.listen_again();
  herd.join();
  EXPECT_LT(MonoClock::now() - back, 60s);
  EXPECT_EQ(with_status(results, 200), 100U);
  EXPECT_EQ(origin.requests("/a"), 1U);
  EXPECT_EQ(coalesced(results), 99U);
  EXPECT_EQ(shield.metric("tanggul_held_requests"), 0);
  expect_calm(shield);
}

TEST(Hold, AHerdOfHeldRequestsAndGatesIsLetGoWithinTheLimit) {
  constexpr std::size_t kHeld = kInstrumented ? 500 : 5000, kGates = kInstrumented ? 50 : 1000;
  constexpr std::size_t kShort = kInstrumented ? 3 : 30;
  Script slow = body_of(1000);
  slow.delay_head = 20ms;
  ScriptedOrigin origin(slow);
  TanggulProcess shield(generic_yaml(origin, kQuick));
  go_down(origin, shield);
  // What the waiting cost, apart from the program itself.
  const ByteCount before = shield.rss();
  std::vector<ClientResult> results;
  std::thread herd([&] {
    results = burst(shield.port(), kHeld,
                    [](std::size_t i) { return asking("/o/k" + std::to_string(i)); });
  });
  Gates gates(kGates, {"--admin", shield.admin_url(), "--origin", "o", "--wait", "3m"});
  Gates hurried(kShort, {"--admin", shield.url(), "--origin", "o", "--wait", "1s"});
  wait_until([&] { return hurried.ended(); });
  EXPECT_EQ(hurried.statuses(), (std::map<int, std::size_t>{{75, kShort}}));
  wait_until([&] {
    return shield.metric("tanggul_held_requests") == kHeld &&
           shield.metric("tanggul_gates_waiting") == kGates;
  });
  if (!kInstrumented) EXPECT_LE(shield.rss() - before, 64_MiB);
  EXPECT_FALSE(gates.ended());
  origin.reset_counts();
  origin.listen_again();
  wait_until([&] { return gates.ended(); }, 120s);
  herd.join();
  EXPECT_EQ(with_status(results, 200), kHeld);
  EXPECT_EQ(gates.statuses(), (std::map<int, std::size_t>{{0, kGates}}));
  EXPECT_LE(gates.spread(), 12s);
  EXPECT_GE(gates.spread(), 5s);  // full jitter over 10 s
  EXPECT_LE(origin.max_concurrent(), 32U);
  if (!kInstrumented) EXPECT_LE(shield.process().peak_rss() - before, 64_MiB);
  RecordProperty("rss_mib", static_cast<int>((shield.process().peak_rss() - before) / 1_MiB));
  RecordProperty("gates_ms", static_cast<int>(gates.spread() / 1ms));
  expect_calm(shield);
}

TEST(Hold, AfterAnOutageOfHalfAMinuteTheFirstGoodAnswerComesWithinAMinute) {
  ScriptedOrigin origin(body_of(1000));
  TanggulProcess shield(generic_yaml(origin));  // the defaults, nobody is held
  origin.stop_listening();
  const MonoTime down = MonoClock::now();
  std::size_t asked = 0;
  const auto ask = [&] {
    std::this_thread::sleep_for(100ms);
    return burst(shield.port(), 8,
                 [&](std::size_t) { return asking("/o/" + std::to_string(++asked)); });
  };
  while (MonoClock::now() - down < 30s) EXPECT_EQ(with_status(ask(), 200), 0U);
  origin.reset_counts();
  origin.listen_again();
  const MonoTime back = MonoClock::now();
  while (with_status(ask(), 200) == 0 && MonoClock::now() - back < 90s) {
  }
  EXPECT_LE(MonoClock::now() - back, 60s);
  EXPECT_LE(origin.max_concurrent(), 32U);
}

TEST(Hold, AnOriginThatNeverAnswersTakesNothingFromAnybodyElse) {
  ScriptedOrigin dead(faulty(Fault::never_answer)), alive(body_of(1000));
  dead.set("/cached", body_of(1000));
  std::string yaml = generic_yaml(dead, "    limit: { concurrency: 16, queue: 10000 }\n");
  yaml += "  b:\n    kind: generic\n    mount: /b/\n    upstream: " + alive.url() + "\n";
  TanggulProcess shield(yaml);
  ASSERT_EQ(shield.get("/o/cached").status, 200);
  std::atomic<bool> over{false};
  std::vector<ClientResult> stuck;
  std::thread callers([&] {
    stuck = burst(shield.port(), 5000,
                  [](std::size_t i) { return asking("/o/k" + std::to_string(i)); });
    over = true;
  });
  wait_until([&] { return shield.metric("tanggul_flights{origin=\"o\"}") >= 4000; });
  std::size_t most_sockets = 0;
  for (int i = 0; i < 200 && !over; ++i) {
    EXPECT_EQ(shield.get("/o/cached").status, 200);
    EXPECT_EQ(shield.get("/b/" + std::to_string(i)).status, 200);
    most_sockets = std::max(most_sockets, static_cast<std::size_t>(dead.open_connections()));
  }
  callers.join();
  EXPECT_LE(most_sockets, 16U + 1U);  // and the pooled one of the hit
  EXPECT_EQ(with_status(stuck, 503) + with_status(stuck, 504), 5000U);
  expect_calm(shield);
}

TEST(Hold, AnUploadThatCouldNotEvenConnectIsHeldOn) {
  ScriptedOrigin origin(body_of(10));
  TanggulProcess shield(generic_yaml(origin, kQuick));
  go_down(origin, shield);
  std::vector<ClientResult> results;
  std::thread herd([&] {
    results = burst(shield.port(), 3, [](std::size_t i) {
      RequestSpec spec = asking("/o/post" + std::to_string(i));
      spec.method = "POST";
      spec.body = "what is to be sent once";
      return spec;
    });
  });
  // Three probes and more have been refused.
  wait_until([&] { return shield.metric("tanggul_breaker_transitions_total{to=\"open\"}") >= 4; });
  origin.reset_counts();
  origin.listen_again();
  herd.join();
  EXPECT_EQ(with_status(results, 200), 3U);
  EXPECT_EQ(origin.requests(), 3U);
  for (const auto& seen : origin.seen()) EXPECT_EQ(seen.body, "what is to be sent once");
}

TEST(Gate, OpensAtOnceWhileTheOriginServes) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  for (const std::string& url : {shield.admin_url(), shield.url()}) {
    const auto r =
        run_command({.args = {tanggul_binary(), "gate", "--admin", url, "--origin", "o"}});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
  }
  EXPECT_LE(origin.requests(), 2U);  // a HEAD of ours for want of any other sign of life
}

TEST(Gate, TellsWrongUseFromAnAbsentShield) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  const auto gate = [](std::vector<std::string> args) {
    args.insert(args.begin(), {tanggul_binary(), "gate"});
    return run_command({.args = std::move(args)});
  };
  const auto unknown = gate({"--admin", shield.admin_url(), "--origin", "none"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("origins: o"), std::string::npos) << unknown.err;
  EXPECT_EQ(gate({"--admin", shield.admin_url()}).status, 2);
  EXPECT_EQ(gate({"--admin", shield.admin_url(), "--origin", "o", "--wait", "5"}).status, 2);
  EXPECT_EQ(gate({"--admin", shield.admin_url(), "--origin", "o", "--wait", "0s"}).status, 0);
  origin.stop_listening();
  origin.drop_connections();
  shield.get("/o/a");
  EXPECT_EQ(gate({"--admin", shield.admin_url(), "--origin", "o", "--wait", "0s"}).status, 75);
  shield.stop();
  EXPECT_EQ(gate({"--admin", shield.admin_url(), "--origin", "o", "--wait", "1s"}).status, 1);
}

TEST(Gate, WaitsThroughARestartOfTheShieldAndIsNotTakenInByIt) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin, kQuick));
  go_down(origin, shield);
  Gates gates(3, {"--admin", shield.admin_url(), "--origin", "o", "--spread", "100ms"});
  wait_until([&] { return shield.metric("tanggul_gates_waiting") == 3; });
  const MonoTime start = MonoClock::now();
  EXPECT_EQ(shield.stop(), 0);
  EXPECT_LT(MonoClock::now() - start, 5s);  // gates do not hold up a stop
  shield.start();                           // has heard nothing of the origin yet
  wait_until([&] { return shield.metric("tanggul_gates_waiting") == 3; });
  // It has found out by itself, more than once.
  wait_until([&] {
    return shield.metric("tanggul_origin_requests_total{origin=\"o\",code=\"connect\"}") >= 2;
  });
  EXPECT_FALSE(gates.ended());
  origin.listen_again();
  wait_until([&] { return gates.ended(); });
  EXPECT_EQ(gates.statuses(), (std::map<int, std::size_t>{{0, 3}}));
}

TEST(Gate, AnybodyMayAskWithoutTheProgram) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin, kQuick));
  const auto serving = shield.get("/.tanggul/gate/o");
  EXPECT_EQ(serving.status, 200);
  EXPECT_NE(serving.body.find("\"serving\":true"), std::string::npos);
  EXPECT_EQ(shield.get("/.tanggul/gate/x").status, 404);
  EXPECT_EQ(shield.get("/.tanggul/").status, 404);
  go_down(origin, shield);
  const auto down = shield.get("/.tanggul/gate/o", {{"Prefer", "wait=1"}});
  EXPECT_EQ(down.status, 503);
  EXPECT_TRUE(down.headers.has("retry-after"));
  origin.listen_again();
  EXPECT_EQ(shield.get("/.tanggul/gate/o", {{"Prefer", "wait=30"}}).status, 200);
}

// It has given up, and may have sent it again elsewhere: what it uploads must not happen later.
TEST(Hold, AnUploadWhoseClientHasLeftIsNeverSent) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(
      origin, "    breaker: { min_requests: 5, open_for: 10s, when_open: hold, hold: 120s }\n"));
  go_down(origin, shield);
  RequestSpec upload = asking("/o/a");
  upload.method = "POST";
  upload.body = std::string(1000, 'x');
  upload.leave_after = 500ms;
  RequestSpec stays = upload;
  stays.leave_after.reset();
  std::vector<ClientResult> results;
  std::thread clients([&] {
    results = burst(shield.port(), 10, [&](std::size_t i) { return i == 0 ? stays : upload; });
  });
  wait_until([&] { return shield.metric("tanggul_held_requests") == 10; });
  wait_until([&] { return shield.metric("tanggul_held_requests") == 1; }, 5s);
  origin.reset_counts();
  origin.listen_again();
  clients.join();
  EXPECT_EQ(with_status(results, 200), 1U);
  EXPECT_EQ(origin.requests("/a"), 1U);
  expect_calm(shield);
}

TEST(Hold, AReloadThatNamesAnotherServerLetsTheHeldGoThere) {
  ScriptedOrigin origin(body_of(1000)), mended(body_of(1000));
  TanggulProcess shield(generic_yaml(origin, kQuick));
  go_down(origin, shield);
  std::vector<ClientResult> results;
  std::thread herd([&] {
    results =
        burst(shield.port(), 100, [](std::size_t i) { return asking("/o/k" + std::to_string(i)); });
  });
  wait_until([&] { return shield.metric("tanggul_held_requests") == 100; });
  shield.dir().write("tanggul.yaml", generic_yaml(mended, kQuick));
  shield.process().signal(SIGHUP);
  herd.join();
  EXPECT_EQ(with_status(results, 200), 100U);
  EXPECT_EQ(mended.requests(), 100U);
  EXPECT_EQ(shield.metric("tanggul_breaker_state"), 0);
  expect_calm(shield);
}

TEST(Hold, StoppingTellsThoseWhoWait) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin, kQuick));
  go_down(origin, shield);
  std::vector<ClientResult> results;
  std::thread herd([&] { results = burst(shield.port(), 50, asking("/o/a")); });
  wait_until([&] { return shield.metric("tanggul_held_requests") == 50; });
  const MonoTime start = MonoClock::now();
  EXPECT_EQ(shield.stop(), 0);
  EXPECT_LT(MonoClock::now() - start, 10s);
  herd.join();
  EXPECT_EQ(with_status(results, 503), 50U);
}

}  // namespace
}  // namespace tanggul::test
