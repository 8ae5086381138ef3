// The shipped rules in a real Prometheus that scrapes the real program.
#include <atomic>
#include <regex>
#include <set>
#include <thread>

#include "prometheus/prometheus_server.h"
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

std::string shipped_rules() {
  return read_file(TANGGUL_SOURCE_DIR "/deploy/prometheus/shield.rules.yml");
}

// Until the alert is pending, firing or, where `state` is empty, neither.
void wait_for(const PrometheusServer& prometheus, std::string_view alert, std::string_view state,
              Duration at_most = 30s) {
  std::string now;
  ASSERT_TRUE(eventually([&] { return (now = prometheus.state(alert)) == state; }, at_most))
      << alert << " is " << now;
}

RequestSpec asking(std::string target) {
  RequestSpec spec;
  spec.target = std::move(target);
  spec.keep_body = false;
  return spec;
}

bool knows_distinct_keys(const TanggulProcess& shield) {
  return shield.metrics().find("tanggul_distinct_keys{") != std::string::npos;
}

#define NEEDS_PROMETHEUS() \
  if (!prometheus_is_here()) GTEST_SKIP() << "there is no prometheus here"
#define NEEDS_DISTINCT_KEYS(shield) \
  if (!knows_distinct_keys(shield)) GTEST_SKIP() << "this program tells no tanggul_distinct_keys"

TEST(Alerts, AreShortenedWholeOrNotAtAll) {
  EXPECT_EQ(shortened_rules("\n  for: 5m\nexpr: rate(x[10m]) > x offset 1h\n"),
            "\n  for: 5s\nexpr: rate(x[10s]) > x offset 1m\n");
  for (const char* other :
       {"\n  for: 5m\nexpr: rate(x[90s])", "\n  for: 1h30m\n", "\n  for: 0\n",
        "\n  for: 5m\nexpr: x offset 1d\n", "\n  for: 5m\nexpr: x[5m:1m]\n", "expr: x\n"})
    EXPECT_THROW(shortened_rules(other), std::runtime_error) << other;
  EXPECT_NO_THROW(shortened_rules(shipped_rules()));
}

// A name that no program tells makes an alert that never comes.
TEST(Alerts, NameOnlyWhatTheProgramTells) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  NEEDS_DISTINCT_KEYS(shield);
  const std::string rules = std::regex_replace(shipped_rules(), std::regex("#[^\n]*"), "");
  const std::string told = shield.metrics();
  static const std::regex kName(R"(\b(tanggul|singleflight)_[a-z_]+)");
  std::set<std::string> names;
  for (std::sregex_iterator m(rules.begin(), rules.end(), kName), end; m != end; ++m)
    names.insert(m->str());
  EXPECT_GE(names.size(), 12U);
  for (const std::string& name : names)
    EXPECT_TRUE(std::regex_search(told, std::regex("\n" + name + R"([{ ])"))) << name;
}

TEST(Alerts, ComeWhenTheOriginIsDownAndGoWhenItIsBack) {
  NEEDS_PROMETHEUS();
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(
      origin,
      "    retry: { attempts: 1 }\n"
      "    breaker: { min_requests: 5, open_for: 2s, when_open: hold, hold: 120s }\n"));
  PrometheusServer prometheus(shortened_rules(shipped_rules()), shield.admin_port());
  for (int i = 0; i < 20; ++i) shield.get("/o/good" + std::to_string(i));
  // A healthy while, longer than any `for` of these two.
  const std::size_t before = prometheus.evaluations();
  EXPECT_TRUE(eventually([&] { return prometheus.evaluations() >= before + 10; }));
  EXPECT_TRUE(prometheus.alerts().empty());

  origin.stop_listening();
  origin.drop_connections();
  for (int i = 0; shield.metric("tanggul_breaker_state") == 0 && i < 100; ++i)
    send_request(shield.port(),
                 {.target = "/o/bad" + std::to_string(i), .headers = {{"Prefer", "wait=0"}}});
  std::vector<ClientResult> results;
  std::thread herd([&] {
    results = burst(shield.port(), 20,
                    [](std::size_t i) { return asking("/o/held" + std::to_string(i)); });
  });
  wait_for(prometheus, "OriginBreakerOpen", "firing");
  wait_for(prometheus, "HerdHeld", "firing");
  for (const auto& alert : prometheus.alerts()) {
    EXPECT_EQ(alert.origin, "o") << alert.name;
    if (alert.name == "OriginBreakerOpen") EXPECT_EQ(alert.severity, "critical");
  }

  origin.listen_again();
  herd.join();
  EXPECT_EQ(with_status(results, 200), 20U);
  wait_for(prometheus, "HerdHeld", "");
  wait_for(prometheus, "OriginBreakerOpen", "");
  expect_calm(shield);
}

TEST(Alerts, TellEverNewKeysFromAHotKeyBehindASlowOrigin) {
  NEEDS_PROMETHEUS();
  Script slow = body_of(100, "max-age=1");
  slow.delay_head = 700ms;
  ScriptedOrigin origin(slow);
  TanggulProcess shield(generic_yaml(origin, "    stale_while_revalidate: 0s\n"));
  NEEDS_DISTINCT_KEYS(shield);
  PrometheusServer prometheus(shortened_rules(shipped_rules()), shield.admin_port());

  // Longer than the window and the `for` together.
  for (const MonoTime end = MonoClock::now() + 12s; MonoClock::now() < end;) {
    EXPECT_EQ(with_status(burst(shield.port(), 200, asking("/o/hot")), 200), 200U);
    EXPECT_EQ(prometheus.state("CoalescingIneffective"), "");
  }
  EXPECT_GE(shield.metric("singleflight_shared_total"), 199);

  std::atomic<bool> over{false};
  std::thread callers([&] {
    for (std::size_t n = 0; !over; n += 32)
      burst(shield.port(), 32,
            [&](std::size_t i) { return asking("/o/hot?ts=" + std::to_string(n + i)); });
  });
  wait_for(prometheus, "CoalescingIneffective", "firing", 40s);
  over = true;
  callers.join();
  for (const auto& alert : prometheus.alerts()) {
    EXPECT_EQ(alert.name, "CoalescingIneffective");
    EXPECT_EQ(alert.origin, "o");
    EXPECT_EQ(alert.key_pattern, "o");
  }
  wait_for(prometheus, "CoalescingIneffective", "");
  expect_calm(shield);
}

}  // namespace
}  // namespace tanggul::test
