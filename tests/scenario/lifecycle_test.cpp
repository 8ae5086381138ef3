// Starting, showing and stopping.
#include <atomic>
#include <csignal>
#include <thread>

#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

TEST(Lifecycle, EveryMetricExistsFromTheStart) {
  ScriptedOrigin origin;
  TanggulProcess shield(generic_yaml(origin));
  const std::string text = shield.metrics();
  for (const char* series : {"singleflight_shared_total{key_pattern=\"o\"} 0",
                             "tanggul_requests_total{origin=\"o\",result=\"hit\"} 0",
                             "tanggul_origin_requests_total{origin=\"o\",code=\"5xx\"} 0",
                             "tanggul_breaker_state{origin=\"o\"} 0",
                             "tanggul_request_duration_seconds_count{origin=\"o\"} 0",
                             "tanggul_origin_duration_seconds_count",
                             "tanggul_flights{origin=\"o\"} 0",
                             "tanggul_breaker_transitions_total",
                             "tanggul_retries_total",
                             "tanggul_limit_queue{origin=\"o\"} 0",
                             "tanggul_limit_wait_seconds_count",
                             "tanggul_cache_bytes{tier=\"memory\"}",
                             "tanggul_cache_evictions_total{tier=\"memory\"} 0",
                             "tanggul_origin_paused_seconds{origin=\"o\"} 0",
                             "tanggul_held_requests{origin=\"o\"} 0",
                             "tanggul_flights_started_total{key_pattern=\"o\"} 0",
                             "tanggul_distinct_keys{key_pattern=\"o\"} 0",
                             "tanggul_flights_shared_total{key_pattern=\"o\"} 0",
                             "tanggul_key_pattern_info{origin=\"o\",key_pattern=\"o\"} 1",
                             "tanggul_build_info{"})
    EXPECT_NE(text.find(series), std::string::npos) << series;
  const bool labelled = text.find("origin=\"o\"") != std::string::npos;
  EXPECT_TRUE(labelled);
}

TEST(Lifecycle, TheAdminPortAnswersAndSaysNothingElse) {
  ScriptedOrigin origin;
  TanggulProcess shield(generic_yaml(origin));
  EXPECT_EQ(get(shield.admin_port(), "/healthz").status, 200);
  EXPECT_EQ(get(shield.admin_port(), "/readyz").status, 200);
  const auto status = get(shield.admin_port(), "/api/status");
  EXPECT_NE(status.body.find("\"name\":\"o\""), std::string::npos);
  EXPECT_NE(status.body.find("\"breaker\":\"closed\""), std::string::npos);
  EXPECT_EQ(get(shield.admin_port(), "/o/a").status, 404);
  EXPECT_EQ(get(shield.port(), "/metrics").status, 404);
}

TEST(Lifecycle, NoWebPageReachesTheAdminPort) {
  ScriptedOrigin origin;
  TanggulProcess shield(generic_yaml(origin));
  const std::uint16_t port = shield.admin_port();
  EXPECT_EQ(get(port, "/api/status", {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(get(port, "/metrics", {{"Origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(get(port, "/metrics", {{"Host", "localhost:" + std::to_string(port)}}).status, 200);
  EXPECT_EQ(get(port, "/healthz", {{"Host", "a-probe"}}).status, 200);
}

TEST(Lifecycle, StopsWithinItsTimeAndFinishesWhatRuns) {
  ScriptedOrigin origin;
  Script slow = body_of(1000);
  slow.delay_head = 1s;
  origin.set("/a", slow);
  TanggulProcess shield(generic_yaml(origin));
  std::vector<ClientResult> results;
  RequestSpec spec;
  spec.target = "/o/a";
  std::thread client([&] { results = burst(shield.port(), 10, spec); });
  while (origin.requests() == 0) {
  }
  const auto status = shield.stop(20s);
  client.join();
  EXPECT_EQ(status, 0);
  EXPECT_EQ(with_status(results, 200), 10U) << shield.process().out() << shield.process().err();
  for (const auto& r : results)
    if (r.status != 200) ADD_FAILURE() << r.status << " " << r.error << " " << r.body;
}

TEST(Lifecycle, StopsAtOnceAndInOrderUnderKeepAliveClients) {
  ScriptedOrigin origin(body_of(100));
  for (int round = 0; round < 5; ++round) {
    TanggulProcess shield(generic_yaml(origin));
    std::atomic<bool> over{false};
    std::thread client([&] {
      RequestSpec spec;
      spec.target = "/o/a";
      while (!over) burst(shield.port(), 8, spec);
    });
    while (shield.metric("tanggul_requests_total{result=\"hit\"}") < 50) {
    }
    const MonoTime start = MonoClock::now();
    EXPECT_EQ(shield.stop(20s), 0);
    EXPECT_LT(MonoClock::now() - start, 5s);  // not the whole of `shutdown`
    over = true;
    client.join();
  }
}

TEST(Lifecycle, ASecondShieldOnThePortIsRefused) {
  ScriptedOrigin origin;
  TanggulProcess shield(generic_yaml(origin));
  const std::string listen = "127.0.0.1:" + std::to_string(shield.port());
  const auto second = run_command(
      {.args = {tanggul_binary(), "serve", "--config",
                shield.dir().write("second.yaml", generic_yaml(origin)), "--listen", listen,
                "--admin", "127.0.0.1:0", "--data", shield.dir().file("second")}},
      20s);
  EXPECT_EQ(second.status, 1);
  EXPECT_NE(second.err.find("cannot listen on " + listen), std::string::npos) << second.err;
}

TEST(Lifecycle, ADataDirectoryThatTakesNoFileIsRefusedAtTheStart) {
  ScriptedOrigin origin;
  TempDir dir;
  const std::string config = dir.write("c.yaml", generic_yaml(origin));
  const auto r = run_command({.args = {tanggul_binary(), "serve", "--config", config, "--listen",
                                       "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", "/proc"}},
                             20s);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("data directory"), std::string::npos) << r.err;
}

TEST(Lifecycle, StartsAgainAfterAKill) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  EXPECT_EQ(get(shield.port(), "/o/a").status, 200);
  shield.kill9();
  shield.start();
  EXPECT_EQ(get(shield.port(), "/o/a").status, 200);
}

TEST(Lifecycle, SurvivesAStoppedOriginThatWakesUp) {
  ScriptedOrigin origin;
  Script slow = body_of(1000);
  slow.delay_head = 800ms;  // longer than one attempt may wait
  origin.set("/a", slow);
  TanggulProcess shield(generic_yaml(
      origin, "    timeout: { first_byte: 300ms }\n    negative: { unreachable: 0s }\n"));
  EXPECT_EQ(get(shield.port(), "/o/a").status, 504);
  origin.set("/a", body_of(1000));
  EXPECT_EQ(get(shield.port(), "/o/a").status, 200);
  expect_calm(shield);
}

TEST(Lifecycle, TheAccessLogHasOneLineARequest) {
  ScriptedOrigin origin(body_of(100));
  std::string yaml =
      "access_log: json\norigins:\n  o:\n    kind: generic\n    mount: /o/\n    upstream: " +
      origin.url() + "\n";
  TanggulProcess shield(yaml);
  get(shield.port(), "/o/a?q=\"x");
  get(shield.port(), "/o/a?q=\"x");
  shield.stop();
  const std::string out = shield.process().out();
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << out;
  EXPECT_NE(out.find(R"("target":"/o/a?q=\"x")"), std::string::npos) << out;
  EXPECT_NE(out.find(R"("result":"miss")"), std::string::npos) << out;
  EXPECT_NE(out.find(R"("result":"hit")"), std::string::npos) << out;
}

}  // namespace
}  // namespace tanggul::test
