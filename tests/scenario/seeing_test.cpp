// What an operator sees in the bad hour: which origin, since when, what is held, and why requests
// do not share fetches.
#include <boost/json.hpp>
#include <thread>

#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

namespace json = boost::json;

json::value status_of(const TanggulProcess& shield) {
  return json::parse(get(shield.admin_port(), "/api/status").body);
}

json::value origin_of(const TanggulProcess& shield, std::size_t i = 0) {
  return status_of(shield).at("origins").at(i);
}

std::string shown(const TanggulProcess& shield) {
  return run_command({.args = {tanggul_binary(), "status", "--admin", shield.admin_url()}}).out;
}

double of_minute(const json::value& origin, const char* key) {
  return origin.at("last_minute").at(key).to_number<double>();
}

RequestSpec asking(std::string target, HeaderList headers = {}) {
  RequestSpec spec;
  spec.target = std::move(target);
  spec.headers = std::move(headers);
  spec.keep_body = false;
  return spec;
}

TEST(Seeing, WhyCoalescingDoesNotHelpAndNeverAHotKey) {
  Script slow = body_of(100);
  slow.delay_head = 200ms;
  ScriptedOrigin origin(slow);
  TanggulProcess shield(generic_yaml(origin, "    limit: { concurrency: 200 }\n"));
  const auto pattern = [&] { return origin_of(shield).at("key_patterns").at(0); };
  EXPECT_EQ(with_status(burst(shield.port(), 200, asking("/o/hot")), 200), 200U);
  EXPECT_TRUE(pattern().at("not_coalescing").is_null());
  EXPECT_EQ(pattern().at("shared").to_number<int>(), 199);
  EXPECT_NEAR(shield.metric("tanggul_distinct_keys{key_pattern=\"o\"}"), 1, 0.01);
  EXPECT_EQ(shown(shield).find("coalescing"), std::string::npos);

  constexpr std::size_t kKeys = 200;
  const auto results = burst(shield.port(), kKeys, [&](std::size_t i) {
    return asking("/o/x?ts=" + std::to_string(i) + "&lang=en");
  });
  ASSERT_EQ(with_status(results, 200), kKeys);
  const json::value told = pattern().at("not_coalescing");
  ASSERT_TRUE(told.is_string()) << json::serialize(pattern());
  EXPECT_TRUE(told.as_string().ends_with(" keys in 5 min, they differ in ?ts=")) << told;
  EXPECT_NEAR(shield.metric("tanggul_distinct_keys{key_pattern=\"o\"}"), kKeys + 1, kKeys * 0.05);
  EXPECT_EQ(shield.metric("tanggul_key_pattern_info{origin=\"o\",key_pattern=\"o\"}"), 1);
  EXPECT_NE(shown(shield).find("they differ in ?ts="), std::string::npos) << shown(shield);
  expect_calm(shield);
}

TEST(Seeing, TwoHundredEverNewKeysAreEnough) {
  Script slow = body_of(100);
  slow.delay_head = 200ms;
  ScriptedOrigin origin(slow);
  TanggulProcess shield(generic_yaml(origin));
  const auto results = burst(shield.port(), 200,
                             [&](std::size_t i) { return asking("/o/x?ts=" + std::to_string(i)); });
  ASSERT_EQ(with_status(results, 200), 200U);
  const json::value told = origin_of(shield).at("key_patterns").at(0).at("not_coalescing");
  ASSERT_TRUE(told.is_string()) << shown(shield);
  EXPECT_TRUE(told.as_string().ends_with("they differ in ?ts="));
  EXPECT_NEAR(shield.metric("tanggul_distinct_keys"), 200, 10);
  EXPECT_EQ(shown(shield).find("ts=1"), std::string::npos);  // never a value
}

TEST(Seeing, ASlowOriginsManyFilesThatAreAskedForAgainAreNotBlamed) {
  Script slow = body_of(100, "max-age=0");
  slow.delay_head = 110ms;
  ScriptedOrigin origin(slow);
  TanggulProcess shield(generic_yaml(origin, "    stale_while_revalidate: 0s\n"));
  for (int wave = 0; wave < 4; ++wave)
    burst(shield.port(), 60, [&](std::size_t i) { return asking("/o/" + std::to_string(i)); });
  EXPECT_EQ(shown(shield).find("coalescing"), std::string::npos) << shown(shield);
  EXPECT_NEAR(shield.metric("tanggul_distinct_keys"), 60, 3);
}

TEST(Seeing, AnOutageByItsNumbers) {
  ScriptedOrigin origin(body_of(1000, "max-age=1"));
  ScriptedOrigin well(body_of(10));
  std::string yaml =
      "  well:\n    kind: generic\n    mount: /w/\n    upstream: " + well.url() + "\n";
  TanggulProcess shield(
      generic_yaml(origin,
                   "    retry: { attempts: 1 }\n    stale_while_revalidate: 0s\n"
                   "    breaker: { min_requests: 5, open_for: 60s, hold: 60s }\n" +
                       yaml));
  ASSERT_EQ(shield.get("/o/kept").status, 200);
  ASSERT_EQ(shield.get("/w/a").status, 200);
  origin.stop_listening();
  origin.drop_connections();
  for (int i = 0; i < 6; ++i) shield.get("/o/gone" + std::to_string(i));
  EXPECT_EQ(shield.get("/o/gone0").status, 502);  // remembered
  std::this_thread::sleep_for(1500ms);            // what was fresh for a second no longer is
  EXPECT_EQ(shield.get("/o/kept").status, 200);
  std::vector<ClientResult> held;
  std::thread herd([&] {
    held = burst(shield.port(), 20, [](std::size_t i) {
      return asking("/o/held" + std::to_string(i), {{"Prefer", "wait=6"}});
    });
  });
  EXPECT_TRUE(eventually([&] { return shield.metric("tanggul_held_requests") == 20; }, 5s));
  Process gate({.args = {tanggul_binary(), "gate", "--admin", shield.admin_url(), "--origin", "o",
                         "--wait", "1m"}});
  EXPECT_TRUE(eventually([&] { return shield.metric("tanggul_gates_waiting") == 1; }, 5s));
  const json::value o = origin_of(shield);
  const std::string table = shown(shield);
  herd.join();
  EXPECT_EQ(o.at("breaker").as_string(), "open");
  EXPECT_TRUE(o.at("breaker_since").as_string().ends_with("Z"));
  EXPECT_GT(o.at("breaker_since_seconds").to_number<double>(), 1);
  EXPECT_GT(o.at("next_probe_seconds").to_number<double>(), 30);
  EXPECT_TRUE(o.at("last_error").as_string().starts_with("refused: ")) << o;
  EXPECT_TRUE(o.at("last_error_at").is_string());
  EXPECT_EQ(o.at("held").to_number<int>(), 20);
  EXPECT_EQ(o.at("gates_waiting").to_number<int>(), 1);
  EXPECT_EQ(of_minute(o, "stale"), 1);
  EXPECT_EQ(of_minute(o, "negative"), 1);
  EXPECT_EQ(of_minute(o, "requests"), 9);         // the held ones have no answer yet
  EXPECT_EQ(of_minute(o, "origin_requests"), 5);  // then it was open
  EXPECT_TRUE(table.find("Down: o. 1 of 2 origins is well.") != std::string::npos) << table;
  EXPECT_NE(table.find("down since "), std::string::npos) << table;
  EXPECT_NE(table.find(", next probe in "), std::string::npos) << table;
  EXPECT_LT(table.find("\no  "), table.find("\nwell  ")) << table;  // the broken one first
}

TEST(Seeing, AnOriginThatAskedForRest) {
  Script busy = failing(429);
  busy.headers = {{"Retry-After", "120"}};
  ScriptedOrigin origin(busy);
  TanggulProcess shield(generic_yaml(origin));
  EXPECT_EQ(shield.get("/o/a").status, 429);
  const json::value o = origin_of(shield);
  EXPECT_GT(o.at("paused_seconds").to_number<double>(), 100);
  EXPECT_TRUE(o.at("paused_until").as_string().ends_with("Z"));
  EXPECT_NE(shown(shield).find("Asked for rest: o."), std::string::npos) << shown(shield);
}

}  // namespace
}  // namespace tanggul::test
