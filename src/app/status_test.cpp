#include "app/service/status_report.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>

#include "app/client/status_table.h"
#include "registry/generic.h"
#include "tanggul/base/random.h"

namespace tanggul::app {
namespace {

namespace json = boost::json;

// A shield with one origin, in virtual time; what happens to it is told to its state.
class StatusReport : public testing::Test {
 protected:
  StatusReport() {
    shield::ShieldConfig config;
    config.spool_directory = std::filesystem::temp_directory_path().string();
    shield::OriginConfig origin;
    origin.name = "o";
    origin.mount = "/o/";
    origin.upstreams = {{"http://origin.test", ""}};
    origin.kind = registry::make_generic({});
    origin.key_patterns = {"o"};
    origin.breaker.min_requests = 2;
    config.origins = {origin};
    shield_ = std::make_unique<shield::Shield>(config, metrics_);
  }

  const shield::Upstream& upstream() { return *shield_->routes()->upstreams.front(); }
  shield::OriginState& state() { return upstream().state(); }

  // So many requests that each cost a fetch of their own of an origin this slow.
  void miss(int n, Duration slow, const std::string& target = "/x?ts=", bool new_keys = true) {
    const auto& pattern = upstream().patterns().front();
    for (int i = 0; i < n; ++i) {
      const std::string key = target + (new_keys ? std::to_string(i) : "1");
      pattern.flights_started->add();
      pattern.state->missed(key, {key, 0, 0}, clock_.now().mono);
      state().metrics().origin_duration->observe(slow);
      state().metrics().origin_requests.at("2xx")->add();
      state().metrics().requests[static_cast<std::size_t>(shield::Outcome::miss)]->add();
    }
  }
  void seconds_pass(int n) {
    for (int i = 0; i < n; ++i) {
      clock_.advance(1s);
      shield_->sample(clock_.now().mono);
    }
  }
  json::object report() { return status_report(*shield_, nullptr, started_); }
  json::object origin() { return report().at("origins").as_array().at(0).as_object(); }
  json::object pattern() { return origin().at("key_patterns").as_array().at(0).as_object(); }
  std::string table() { return status_table(json::serialize(report()), false); }

  VirtualClock clock_;
  const MonoTime started_ = clock_.now().mono;
  MetricSet metrics_;
  std::unique_ptr<shield::Shield> shield_;
};

TEST_F(StatusReport, KeepsTheKeysThatThereWere) {
  const json::object all = report();
  for (const char* key : {"version", "uptime_seconds", "draining", "origins", "cache", "flights"})
    EXPECT_TRUE(all.contains(key)) << key;
  const json::object one = origin();
  for (const char* key : {"name", "mount", "kind", "breaker", "breaker_since_seconds",
                          "next_probe_seconds", "last_error", "flights", "queued", "running",
                          "requests", "origin_requests", "paused_seconds", "shared"})
    EXPECT_TRUE(one.contains(key)) << key;
}

TEST_F(StatusReport, NamesEverNewKeysBehindASlowOrigin) {
  miss(200, 200ms);
  const auto why = pattern().at("not_coalescing").as_string();
  EXPECT_TRUE(why.ends_with(" keys in 5 min, they differ in ?ts=")) << why;
  EXPECT_NEAR(pattern().at("distinct_keys").to_number<double>(), 200, 13);
  EXPECT_NE(table().find("coalescing does not help: "), std::string::npos) << table();
  EXPECT_NE(table().find("they differ in ?ts="), std::string::npos) << table();
}

TEST_F(StatusReport, IsJsonWhateverWasAskedFor) {
  miss(1000, 200ms, "/x?t\xff\xfe=");
  shield_->once_builds().add({"k\xff", "somebody", wall_now(), 1, 0});
  const std::string text = status_text(*shield_, nullptr, started_);
  EXPECT_NE(text.find("they differ in ?t"), std::string::npos) << text;
  EXPECT_NE(status_table(text, false), "") << text;
}

TEST_F(StatusReport, DoesNotNameAHotKeyNorAFastOriginNorWhatIsLongPast) {
  miss(200, 200ms, "/x?ts=", false);
  EXPECT_TRUE(pattern().at("not_coalescing").is_null());
  seconds_pass(301);
  miss(200, 20ms);
  EXPECT_TRUE(pattern().at("not_coalescing").is_null());
  seconds_pass(301);
  miss(200, 200ms);
  EXPECT_TRUE(pattern().at("not_coalescing").is_string());
  seconds_pass(301);
  EXPECT_TRUE(pattern().at("not_coalescing").is_null());
  EXPECT_EQ(pattern().at("flights_started").to_number<int>(), 600);
  EXPECT_EQ(pattern().at("last_5_minutes").at("flights_started").to_number<int>(), 0);
}

TEST_F(StatusReport, TellsSinceWhenAnOriginIsDownAndWhatItSaidLast) {
  Rng rng(1);
  for (int i = 0; i < 2; ++i)
    state().record(state().admit(clock_.now().mono, rng).ticket, policy::BreakerSample::failure,
                   clock_.now().mono, rng);
  state().note_error("connect_timeout: no route");
  clock_.advance(4s);
  const json::object one = origin();
  EXPECT_EQ(one.at("breaker").as_string(), "open");
  EXPECT_EQ(one.at("breaker_since").as_string(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(one.at("breaker_since_seconds").to_number<double>(), 4);
  EXPECT_LE(one.at("next_probe_seconds").to_number<double>(), 11);
  EXPECT_EQ(one.at("last_error_at").as_string(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(one.at("last_error_seconds").to_number<double>(), 4);
}

TEST_F(StatusReport, TellsUntilWhenAnOriginOrACredentialRests) {
  state().pause("", clock_.now().mono + 40s);
  state().pause("c1", clock_.now().mono + 20s);
  state().pause("c2", clock_.now().mono + 30s);
  EXPECT_EQ(origin().at("paused_until").as_string(), "2023-11-14T22:14:00Z");
  EXPECT_EQ(origin().at("paused_seconds").to_number<double>(), 40);
  EXPECT_EQ(origin().at("paused_credentials").to_number<int>(), 2);
  EXPECT_EQ(origin().at("paused_credentials_until").as_string(), "2023-11-14T22:13:50Z");
  clock_.advance(1min);
  EXPECT_TRUE(origin().at("paused_until").is_null());
  EXPECT_EQ(origin().at("paused_credentials").to_number<int>(), 0);
}

TEST_F(StatusReport, CountsTheLastMinuteOnly) {
  miss(10, 1ms);
  EXPECT_EQ(origin().at("last_minute").at("requests").to_number<int>(), 10);
  EXPECT_EQ(origin().at("last_minute").at("origin_requests").to_number<int>(), 10);
  seconds_pass(61);
  EXPECT_EQ(origin().at("last_minute").at("requests").to_number<int>(), 0);
  EXPECT_EQ(origin().at("requests").at("miss").to_number<int>(), 10);
}

}  // namespace
}  // namespace tanggul::app
