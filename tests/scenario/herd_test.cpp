// One fetch for however many ask at once.
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

RequestSpec request(std::string target) {
  RequestSpec spec;
  spec.target = std::move(target);
  return spec;
}

TEST(Herd, AThousandMissesOfOneKeyCostOneFetch) {
  ScriptedOrigin origin;
  Script slow = body_of(20'000);
  slow.delay_head = 1s;
  origin.set("/a", slow);
  TanggulProcess shield(generic_yaml(origin));
  const auto results = burst(shield.port(), 1000, request("/o/a"));
  EXPECT_EQ(origin.requests(), 1U);
  EXPECT_EQ(with_status(results, 200), 1000U);
  EXPECT_EQ(coalesced(results), 999U);
  const std::string whole = generated_bytes(0, 20'000);
  EXPECT_EQ(count_if(results, [&](const auto& r) { return r.complete && r.body == whole; }), 1000U);
  EXPECT_LT(slowest(results), 3 * 1150ms);
  EXPECT_EQ(shield.metric("singleflight_shared_total"), 999);
  EXPECT_EQ(shield.metric("tanggul_requests_total{result=\"coalesced\"}"), 999);
  expect_calm(shield);
}

TEST(Herd, TheFirstOfTwoHundredLeavesAndNobodyNotices) {
  ScriptedOrigin origin;
  Script slow = body_of(20'000);
  slow.delay_head = 1s;
  origin.set("/a", slow);
  TanggulProcess shield(generic_yaml(origin));
  // The first one is on its way before the others come, and gone before the answer.
  std::vector<ClientResult> results;
  RequestSpec hasty = request("/o/a");
  hasty.leave_after = 200ms;
  results =
      burst(shield.port(), 200, [&](std::size_t i) { return i == 0 ? hasty : request("/o/a"); });
  EXPECT_EQ(origin.requests(), 1U);
  EXPECT_EQ(with_status(results, 200), 199U);
  EXPECT_LT(slowest(results), 3 * 1100ms);
  EXPECT_EQ(shield.metric("tanggul_requests_total{result=\"aborted\"}"), 1);
  expect_calm(shield);
}

TEST(Herd, AllLeaveAndTheFetchGoesOn) {
  ScriptedOrigin origin;
  Script slow = body_of(20'000);
  slow.delay_head = 1s;
  origin.set("/a", slow);
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec hasty = request("/o/a");
  hasty.leave_after = 100ms;
  const auto left = burst(shield.port(), 1000, hasty);
  EXPECT_EQ(count_if(left, [](const auto& r) { return r.left; }), 1000U);
  // Their sockets are given back while the fetch still runs.
  const MonoTime start = MonoClock::now();
  while (shield.process().open_files() > 100 && MonoClock::now() - start < 300ms) {
  }
  EXPECT_LT(shield.process().open_files(), 100U);
  EXPECT_EQ(shield.metric("tanggul_flights"), 1);
  const auto after = get(shield.port(), "/o/a");
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(origin.requests(), 1U);
}

TEST(Herd, UniqueKeysAreEachFetchedOnceAndLeaveNothingBehind) {
  ScriptedOrigin origin(body_of(200));
  TanggulProcess shield(
      generic_yaml(origin, "    limit: { concurrency: 500, queue: 100000, queue_wait: 60s }\n",
                   "cache: { memory: 16MiB }\n"));
  constexpr int kRounds = 20, kEach = 500;
  std::size_t good = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto results = burst(shield.port(), kEach, [&](std::size_t i) {
      return request("/o/k" + std::to_string(round * kEach + static_cast<int>(i)));
    });
    good += with_status(results, 200);
  }
  EXPECT_EQ(good, static_cast<std::size_t>(kRounds * kEach));
  EXPECT_EQ(origin.requests(), static_cast<std::uint64_t>(kRounds * kEach));
  EXPECT_LE(shield.metric("tanggul_cache_bytes{tier=\"memory\"}"), 16.0 * (1 << 20));
  expect_calm(shield);
}

TEST(Herd, AHotKeyIsFetchedOnceAnExpiry) {
  ScriptedOrigin origin(body_of(1000, "max-age=1"));
  TanggulProcess shield(generic_yaml(origin));
  const MonoTime start = MonoClock::now();
  std::size_t answers = 0, good = 0;
  while (MonoClock::now() - start < 3500ms) {
    const auto results = burst(shield.port(), 20, request("/o/hot"));
    answers += results.size();
    good += with_status(results, 200);
  }
  EXPECT_EQ(good, answers);
  // Between 0.9 s and 1 s each, from the first fetch on; an early refresh replaces an expiry.
  EXPECT_GE(origin.requests(), 3U);
  EXPECT_LE(origin.requests(), 5U);
  expect_calm(shield);
}

TEST(Herd, PrivateAnswersAreNotSharedAndNotSerialised) {
  ScriptedOrigin origin;
  Script own = body_of(1000, "private");
  own.delay_head = 300ms;
  origin.set("/a", own);
  TanggulProcess shield(generic_yaml(origin));
  const auto results = burst(shield.port(), 20, request("/o/a"));
  EXPECT_EQ(with_status(results, 200), 20U);
  EXPECT_EQ(coalesced(results), 0U);
  EXPECT_EQ(origin.requests(), 20U);
  EXPECT_LT(slowest(results), 3 * 700ms);  // together, not in turn
  expect_calm(shield);
}

}  // namespace
}  // namespace tanggul::test
