// What a miss leaves behind for whoever asks why requests do not share fetches.
#include "shield/missed.h"

#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

constexpr long kFew = 6;  // an estimate of a hundred is that near: see hyperloglog_test.cpp

class Missed : public PipelineTest {
 protected:
  PatternState& pattern(std::size_t i = 0) { return *upstream().patterns().at(i).state; }
  long distinct() { return std::lround(pattern().distinct_keys(clock.now().mono)); }
  std::string told() { return policy::describe(pattern().difference(clock.now().mono)); }
};

TEST_F(Missed, AHotKeyIsOneKeyHoweverManyAskForIt) {
  origin.plays({page("x", headers({{"Cache-Control", "max-age=60"}}))});
  for (int i = 0; i < 30; ++i) send("/o/hot");
  EXPECT_EQ(distinct(), 1);
  EXPECT_EQ(told(), "they differ in nothing common");
}

TEST_F(Missed, EverNewKeysAreCountedAndToldApart) {
  for (int i = 0; i < 100; ++i) send("/o/x?lang=en&ts=" + std::to_string(i));
  EXPECT_NEAR(distinct(), 100, kFew);
  EXPECT_EQ(told(), "they differ in ?ts=");
  clock.advance(5min);
  EXPECT_EQ(distinct(), 0);
  EXPECT_EQ(told(), "they differ in nothing common");  // nothing of late
}

TEST_F(Missed, WhatTheKeyLeavesOutTellsNoKeysApart) {
  origin_config.kind = registry::make_generic({.drop_query = {"ts"}});
  build();
  for (int i = 0; i < 100; ++i) send("/o/x?page=" + std::to_string(i) + "&ts=" + std::to_string(i));
  EXPECT_EQ(told(), "they differ in ?page=");
}

TEST_F(Missed, CredentialsAreToldApartButNotTold) {
  for (int i = 0; i < 100; ++i) send("/o/x", {{"Authorization", "Bearer s" + std::to_string(i)}});
  EXPECT_NEAR(distinct(), 100, kFew);
  EXPECT_EQ(told(), "they differ in the client's credential");
}

TEST_F(Missed, WritesAndRefreshesInTheBackgroundAreNone) {
  send("/o/a");
  EXPECT_EQ(distinct(), 1);
  send("/o/w", {}, "POST");
  EXPECT_EQ(distinct(), 1);
  clock.advance(5min);  // long enough to be forgotten
  EXPECT_EQ(distinct(), 0);
}

TEST_F(Missed, ARefreshOfWhatIsServedStaleIsNone) {
  origin.plays({page("x", headers({{"Cache-Control", "max-age=1, stale-while-revalidate=3600"}}))});
  send("/o/a");
  clock.advance(5min);
  const auto started = upstream().patterns().front().flights_started->value();
  EXPECT_TRUE(send("/o/a").says("stale-while-revalidate"));
  EXPECT_EQ(upstream().patterns().front().flights_started->value(), started + 1);
  EXPECT_EQ(distinct(), 0);
}

TEST_F(Missed, AReloadKeepsWhatIsKnownAndOriginsOfOnePatternShareIt) {
  send("/o/a");
  PatternState* const before = &pattern();
  ShieldConfig config;
  config.origins = {origin_config, origin_config};
  config.origins[1].name = "p";
  config.origins[1].mount = "/p/";
  shield_->configure(config);
  pipeline_->adopt(shield_->routes());
  EXPECT_EQ(&pattern(), before);
  EXPECT_EQ(shield_->routes()->upstreams[1]->patterns()[0].state, before);
  send("/p/a");
  EXPECT_EQ(distinct(), 2);
  const auto info = [&](const char* name) {
    return metrics_->gauge("tanggul_key_pattern_info", "", {{"origin", name}, {"key_pattern", "o"}})
        .value();
  };
  EXPECT_EQ(info("o"), 1);
  EXPECT_EQ(info("p"), 1);
  config.origins.pop_back();
  config.origins = {origin_config};
  shield_->configure(config);
  EXPECT_EQ(info("o"), 1);
  EXPECT_TRUE(std::isnan(info("p")));  // absent
}

TEST_F(Missed, AFetchThatManyWaitForIsOneSharedFetch) {
  Answer slow = page("x");
  slow.takes = 1s;
  origin.plays({slow});
  for (int i = 0; i < 20; ++i) send("/o/hot");
  for (int i = 0; i < 5; ++i) send("/o/" + std::to_string(i));
  pass(2s);
  const auto now = clock.now().mono;
  EXPECT_EQ(pattern().recent(now).fetches, 6U);
  EXPECT_EQ(pattern().recent(now).shared, 1U);
  EXPECT_EQ(pattern().shared_lately(now), 19U);
}

TEST_F(Missed, RecentFiguresAreOfTheLastMinutesAndNoLonger) {
  for (int i = 0; i < 10; ++i) send("/o/" + std::to_string(i));
  shield_->sample(clock.now().mono);
  const auto now = clock.now().mono;
  EXPECT_EQ(state().recent(now, 1min).requests, 10U);
  EXPECT_EQ(state().recent(now, 1min).origin_requests, 10U);
  EXPECT_EQ(pattern().recent(now).fetches, 10U);
  for (int s = 0; s < 61; ++s) {
    clock.advance(1s);
    shield_->sample(clock.now().mono);
  }
  EXPECT_EQ(state().recent(clock.now().mono, 1min).requests, 0U);
  EXPECT_EQ(state().recent(clock.now().mono, 5min).requests, 10U);
  EXPECT_EQ(pattern().recent(clock.now().mono).fetches, 10U);
}

}  // namespace
}  // namespace tanggul::shield
