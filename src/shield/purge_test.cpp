#include "shield/purge.h"

#include "registry/npm.h"
#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

class PurgeTest : public PipelineTest {
 protected:
  // Whether it is answered from what is held.
  bool held(const std::string& target,
            std::vector<std::pair<std::string, std::string>> lines = {}) {
    return send(target, std::move(lines)).says("tanggul; hit");
  }
  void fill(const std::vector<std::string>& targets) {
    origin.plays({page("x")});
    for (const auto& t : targets) send(t);
    for (const auto& t : targets) ASSERT_TRUE(held(t)) << t;
  }
};

TEST_F(PurgeTest, OneUrlInAllItsVariantsAndNothingElse) {
  origin.plays({page("x", headers({{"Cache-Control", "max-age=60"}, {"Vary", "Accept"}}))});
  send("/o/a", {{"Accept", "x"}});
  send("/o/a", {{"Accept", "y"}});
  fill({"/o/ab", "/o/a/b", "/o/a?q=1"});
  const PurgeResult r = purge(*shield_, {.urls = {"http://shield:8080/o/a"}});
  EXPECT_GE(r.entries, 2U);
  origin.plays({page("x", headers({{"Cache-Control", "max-age=60"}, {"Vary", "Accept"}}))});
  EXPECT_FALSE(held("/o/a", {{"Accept", "x"}}));
  EXPECT_FALSE(held("/o/a", {{"Accept", "y"}}));
  for (const char* other : {"/o/ab", "/o/a/b", "/o/a?q=1"}) EXPECT_TRUE(held(other)) << other;
}

TEST_F(PurgeTest, TakesTheUpstreamsOwnUrlToo) {
  fill({"/o/a"});
  EXPECT_EQ(purge(*shield_, {.urls = {"http://origin.test/base/a"}}).entries, 1U);
  EXPECT_FALSE(held("/o/a"));
}

TEST_F(PurgeTest, APrefixAndAWholeOrigin) {
  fill({"/o/a/1", "/o/a/2", "/o/b"});
  EXPECT_EQ(purge(*shield_, {.prefixes = {"/o/a/"}}).entries, 2U);
  EXPECT_TRUE(held("/o/b"));
  fill({"/o/a/1"});
  purge(*shield_, {.origins = {"o"}});
  for (const char* gone : {"/o/a/1", "/o/b"}) EXPECT_FALSE(held(gone)) << gone;
  fill({"/o/a/1"});
  purge(*shield_, {.prefixes = {"/"}});  // above every mount
  EXPECT_FALSE(held("/o/a/1"));
}

TEST_F(PurgeTest, ATagTakesWhatCarriesIt) {
  origin.plays({page("x", headers({{"Cache-Control", "max-age=60"}, {"Cache-Tag", "One, Two"}}))});
  send("/o/both");
  origin.plays({page("x", headers({{"Cache-Control", "max-age=60"}, {"Surrogate-Key", "two x"}}))});
  send("/o/key");
  origin.plays({page("x")});
  send("/o/none");
  purge(*shield_, {.tags = {"one"}});
  EXPECT_FALSE(held("/o/both"));
  EXPECT_TRUE(held("/o/key"));
  purge(*shield_, {.tags = {"TWO"}});
  EXPECT_FALSE(held("/o/key"));
  EXPECT_TRUE(held("/o/none"));
}

TEST_F(PurgeTest, ATagThatARunningFlightBringsIsNotStored) {
  Answer slow = page("old", headers({{"Cache-Control", "max-age=60"}, {"Cache-Tag", "t"}}));
  slow.takes = 1s;
  Answer other = page("other");
  other.takes = 1s;
  origin.plays({slow, other, page("new")});
  Client& waits = send("/o/a");
  Client& untouched = send("/o/b");
  purge(*shield_, {.tags = {"t"}});
  EXPECT_EQ(send("/o/a").body, "new");  // does not join what may carry it
  purge(*shield_, {.urls = {"/o/a"}});
  pass(2s);
  EXPECT_EQ(waits.body, "old");
  EXPECT_EQ(untouched.body, "other");
  EXPECT_TRUE(held("/o/b"));
  EXPECT_FALSE(held("/o/a"));
}

TEST_F(PurgeTest, RememberedFailuresGoWithTheUrl) {
  origin.plays({broken(404), page("there")});
  send("/o/a");
  EXPECT_TRUE(send("/o/a").says("404"));
  purge(*shield_, {.urls = {"/o/a"}});
  EXPECT_EQ(send("/o/a").body, "there");
}

TEST_F(PurgeTest, ARunningFlightIsDeliveredButNotStored) {
  Answer slow = page("old");
  slow.takes = 1s;
  origin.plays({slow, page("new")});
  Client& waits = send("/o/a");
  const PurgeResult r = purge(*shield_, {.urls = {"/o/a"}});
  EXPECT_EQ(r.flights, 1U);
  Client& later = send("/o/a");  // does not join what was purged
  EXPECT_EQ(later.body, "new");
  pass(2s);
  EXPECT_EQ(waits.body, "old");
  EXPECT_EQ(send("/o/a").body, "new");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(PurgeTest, AFailureOfAPurgedFlightIsNotRemembered) {
  origin_config.retry.attempts = 1;
  build();
  Answer slow = broken(503);
  slow.takes = 1s;
  origin.plays({slow, page("new")});
  Client& waits = send("/o/a");
  purge(*shield_, {.urls = {"/o/a"}});
  pass(2s);
  EXPECT_TRUE(waits.says("503"));
  EXPECT_EQ(send("/o/a").body, "new");
}

TEST_F(PurgeTest, AWholeOriginNeedNotRestAnyLonger) {
  origin.plays({broken(429, headers({{"Retry-After", "600"}})), page("ok")});
  EXPECT_TRUE(send("/o/a").says("429"));
  EXPECT_TRUE(send("/o/b").says("429"));
  purge(*shield_, {.origins = {"o"}});
  EXPECT_EQ(send("/o/c").body, "ok");
}

TEST_F(PurgeTest, AHostThatNobodyKnowsIsNotEverything) {
  fill({"/o/a"});
  EXPECT_EQ(purge(*shield_, {.prefixes = {"https://elsewhere.test/"}}).unknown.size(), 1U);
  EXPECT_TRUE(held("/o/a"));
  EXPECT_EQ(purge(*shield_, {.prefixes = {"https://shield.test/o/"}}).entries, 1U);
}

TEST_F(PurgeTest, WhatLeadsNowherePurgesNothingAtAll) {
  fill({"/o/a"});
  const PurgeResult r =
      purge(*shield_, {.urls = {"/o/a", "/x/y"}, .prefixes = {"/y/"}, .origins = {"z"}});
  EXPECT_EQ(r.unknown, (std::vector<std::string>{"/x/y", "/y/", "z"}));
  EXPECT_TRUE(held("/o/a"));
}

TEST_F(PurgeTest, AScopedNameInEitherSpellingIsOnePackage) {
  origin_config.kind = registry::make_npm();
  build();
  const auto fetch = [&] {
    origin.plays({page(R"({"versions":{}})")});
    send("/o/@s%2fa");
    send("/o/@s%2fb");
    send("/o/@s%2fa", {{"Accept", "application/vnd.npm.install-v1+json"}});
    send("/o/@s%2fa", {{"Authorization", "Bearer x"}});
  };
  fetch();
  EXPECT_EQ(purge(*shield_, {.urls = {"/o/@s/a"}}).entries, 3U);
  EXPECT_TRUE(held("/o/@s/b"));
  fetch();
  EXPECT_EQ(purge(*shield_, {.prefixes = {"/o/@s%2f"}}).entries, 4U);
}

// Three origins side by side, one of them below another's mount and upstream.
class PurgeOfMany : public testing::Test {
 protected:
  PurgeOfMany() {
    add("root", "/", "http://origin.test", "");
    add("deep", "/deep/", "http://origin.test", "/lower");
    add("far", "/far/", "http://far.test", "/base");
    config.spool_directory = std::filesystem::temp_directory_path().string();
    shield = std::make_unique<Shield>(config, metrics);
    for (const char* name : {"root", "deep", "far"}) put(std::string(name) + "\x1f/a");
  }
  void add(std::string name, std::string mount, std::string base, std::string path) {
    OriginConfig o;
    o.name = std::move(name);
    o.mount = std::move(mount);
    o.upstreams = {{std::move(base), std::move(path)}};
    o.kind = registry::make_generic({});
    o.key_patterns = o.kind->patterns(o.name);
    config.origins.push_back(std::move(o));
  }
  void put(const std::string& key) {
    auto entry = std::make_shared<cache::Entry>();
    entry->generation = shield->purges().now();
    shield->store(key, std::move(entry));
  }
  bool held(const std::string& name) { return shield->find(name + "\x1f/a") != nullptr; }

  ShieldConfig config;
  MetricSet metrics;
  std::unique_ptr<Shield> shield;
};

TEST_F(PurgeOfMany, APrefixTakesTheMountsBelowItAsWell) {
  EXPECT_EQ(purge(*shield, {.prefixes = {"/"}}).entries, 3U);
}

TEST_F(PurgeOfMany, APrefixAboveAnUpstreamsPathIsThatUpstreamAlone) {
  EXPECT_EQ(purge(*shield, {.prefixes = {"http://far.test/"}}).entries, 1U);
  EXPECT_FALSE(held("far"));
  EXPECT_TRUE(held("root"));
  EXPECT_TRUE(held("deep"));
}

TEST_F(PurgeOfMany, AnUpstreamsUrlIsWhoeverServesIt) {
  EXPECT_EQ(purge(*shield, {.urls = {"http://origin.test/lower/a"}}).entries, 1U);
  EXPECT_FALSE(held("deep"));
  EXPECT_TRUE(held("root"));  // there it is another resource
}

}  // namespace
}  // namespace tanggul::shield
