#include "tanggul/shield/read_through.h"

#include "shield/read_through_for_test.h"

namespace tanggul::shield {
namespace {

ReadThroughConfig even() {  // without chance
  return {.jitter = 0s, .beta = 0};
}

TEST_F(ReadThroughTest, LoadsOnceForAllWhoAskAndRemembers) {
  make();
  for (int i = 0; i < 2000; ++i) call(1);
  pass(takes);
  int shared = 0;
  for (const Call& c : calls) {
    EXPECT_EQ(c.value(), "v1");
    EXPECT_EQ(c.got->how, c.got->shared ? ReadHow::coalesced : ReadHow::miss);
    EXPECT_EQ(c.got->value, calls.front().got->value);
    shared += c.got->shared ? 1 : 0;
  }
  EXPECT_EQ(shared, 1999);
  EXPECT_EQ(queries, 1);
  const Got hit = get(1);
  EXPECT_EQ(hit.how, ReadHow::hit);
  EXPECT_FALSE(hit.shared);
  const auto figures = cache->figures();
  EXPECT_EQ(figures.hits, 1U);
  EXPECT_EQ(figures.misses, 1U);
  EXPECT_EQ(figures.coalesced, 1999U);
  EXPECT_EQ(figures.in_flight, 0U);
}

TEST_F(ReadThroughTest, ACallerWhoseTimeIsOverLeavesAndTheLoadGoesOn) {
  make();
  Call& hasty = call(1, 100ms);
  Call& patient = call(1);
  pass(100ms);
  ASSERT_TRUE(hasty.got);
  EXPECT_EQ(hasty.got->error, ReadError::deadline);
  EXPECT_FALSE(patient.got);
  pass(200ms);
  EXPECT_EQ(patient.value(), "v1");
  EXPECT_TRUE(patient.got->shared);
  EXPECT_EQ(cache->figures().deadlines, 1U);
}

TEST_F(ReadThroughTest, OneFailureReachesAllAndTheVeryNextCallLoadsAnew) {
  make();
  fails = true;
  for (int i = 0; i < 500; ++i) call(1);
  pass(takes);
  for (const Call& c : calls) {
    ASSERT_TRUE(c.got);
    EXPECT_EQ(c.got->error, ReadError::failed);
    EXPECT_TRUE(c.got->failure != nullptr);
  }
  EXPECT_EQ(queries, 1);
  EXPECT_EQ(cache->figures().errors, 500U);
  fails = false;
  EXPECT_EQ(*get(1), "v2");
}

TEST_F(ReadThroughTest, RemembersAFailureForItsTimeWhereConfiguredAndNoLonger) {
  ReadThroughConfig config = even();
  config.failure_ttl = 20s;
  make(config);
  fails = true;
  get(1);
  fails = false;
  pass(20s - 1ns);
  const Got remembered = get(1);
  EXPECT_EQ(remembered.how, ReadHow::negative);
  EXPECT_EQ(remembered.error, ReadError::failed);
  EXPECT_EQ(remembered.retry_after, 1ns);
  pass(1ns);
  EXPECT_EQ(*get(1), "v2");
}

TEST_F(ReadThroughTest, RemembersThatAKeyHasNoValue) {
  make(even());
  const Got first = get(-1);
  EXPECT_EQ(first.status, ReadStatus::absent);
  EXPECT_EQ(first.how, ReadHow::miss);
  pass(60s - 1ns);
  EXPECT_EQ(get(-1).how, ReadHow::negative);
  pass(1ns);
  EXPECT_EQ(get(-1).how, ReadHow::miss);
  EXPECT_EQ(queries, 2);
}

TEST_F(ReadThroughTest, ServesWhatIsStaleWhileOneRefreshRuns) {
  make(even());
  get(1);
  pass(5min);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(call(1).got->how, ReadHow::stale);
  EXPECT_EQ(queries, 2);
  pass(takes);
  const Got refreshed = get(1);
  EXPECT_EQ(refreshed.how, ReadHow::hit);
  EXPECT_EQ(*refreshed, "v2");
  EXPECT_EQ(cache->figures().refreshes, 1U);
}

TEST_F(ReadThroughTest, AfterItsWindowAStaleValueIsServedOnlyForAFailure) {
  make(even());
  get(1);
  pass(5min + 10s);
  fails = true;
  const Got stale = get(1);
  EXPECT_EQ(stale.how, ReadHow::stale);
  EXPECT_EQ(*stale, "v1");
  EXPECT_EQ(stale.error, ReadError::failed);
  fails = false;
  EXPECT_EQ(*get(1), "v3");
}

TEST_F(ReadThroughTest, AfterADayWhatIsStaleIsNoAnswer) {
  make(even());
  get(1);
  pass(24h + 5min);
  fails = true;
  EXPECT_EQ(get(1).status, ReadStatus::error);
}

TEST_F(ReadThroughTest, ForgetLetsTheNextCallLoadAndKeepsALoadThatRunsFromBeingStored) {
  make();
  get(1);
  cache->forget(1);
  Call& before = call(1);
  pass(takes / 2);
  cache->forget(1);
  Call& after = call(1);
  pass(takes);
  EXPECT_EQ(before.value(), "v2");
  EXPECT_EQ(queries, 3);
  EXPECT_EQ(*get(1), after.value());
  EXPECT_EQ(queries, 3);
}

TEST_F(ReadThroughTest, ManyOtherRemovalsDuringALoadDoNotBringTheRemovedOneBack) {
  make();
  Call& before = call(1);
  cache->forget(1);
  for (int i = 0; i < 5000; ++i) cache->forget(1000 + i);
  pass(takes);
  EXPECT_EQ(before.value(), "v1");
  EXPECT_EQ(get(1).how, ReadHow::miss);
}

TEST_F(ReadThroughTest, KeepsToItsBoundOfEntriesAndTheMostRecentlyUsed) {
  ReadThroughConfig config;
  config.max_entries = 3;
  make(config);
  takes = 0s;
  for (const int key : {1, 2, 3}) get(key);
  get(1);
  get(4);
  EXPECT_EQ(get(1).how, ReadHow::hit);
  EXPECT_EQ(get(2).how, ReadHow::miss);
  EXPECT_EQ(cache->figures().entries, 3U);
  EXPECT_EQ(cache->figures().evictions, 2U);
}

TEST_F(ReadThroughTest, KeepsToItsBoundOfWeight) {
  ReadThroughConfig config;
  config.max_weight = 10;
  make(config, [](int key, const std::string&) { return static_cast<std::uint64_t>(key); });
  takes = 0s;
  for (const int key : {4, 5}) get(key);
  EXPECT_EQ(cache->figures().weight, 9U);
  get(6);
  EXPECT_EQ(cache->figures().weight, 6U);
  get(11);  // delivered, but kept it would be all there is
  EXPECT_EQ(cache->figures().weight, 6U);
  get(6);
  EXPECT_EQ(cache->figures().hits, 1U);
}

TEST_F(ReadThroughTest, OutlivesTheLoadsThatItStarted) {
  make();
  Call& waits = call(1);
  cache.reset();
  pass(takes);
  EXPECT_EQ(waits.value(), "v1");
}

}  // namespace
}  // namespace tanggul::shield
