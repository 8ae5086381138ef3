#include <algorithm>
#include <map>

#include "shield/read_through_for_test.h"

// Many keys, many calls: minutes of virtual time.
namespace tanggul::shield {
namespace {

// It is about the bound and not about the number, where a sanitizer makes everything slow.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kIds = 100'000;
#else
constexpr int kIds = 1'000'000;
#endif

using UnderLoad = ReadThroughTest;

TEST_F(UnderLoad, TenThousandKeysWrittenInASecondDoNotExpireTogether) {
  ReadThroughConfig config;
  config.beta = 0;
  config.stale_while_revalidate = 0s;
  make(config);
  takes = 0s;
  constexpr int kKeys = 10'000;
  for (int key = 0; key < kKeys; ++key) {
    call(key);
    clock.advance(100us);
  }
  std::map<std::int64_t, int> expiries;  // by the second
  std::vector<bool> expired(kKeys, false);
  const MonoTime begun = clock.now().mono;
  while (clock.now().mono < begun + 5min + 31s) {
    pass(1s);
    if (clock.now().mono < begun + 5min - 2s) continue;
    for (int key = 0; key < kKeys; ++key) {
      if (expired[static_cast<std::size_t>(key)]) continue;
      calls.clear();
      if (call(key).got->how != ReadHow::miss) continue;
      expired[static_cast<std::size_t>(key)] = true;
      ++expiries[(clock.now().mono - begun) / 1s];
    }
  }
  const double mean = static_cast<double>(kKeys) / static_cast<double>(expiries.size());
  EXPECT_EQ(std::count(expired.begin(), expired.end(), true), kKeys);
  EXPECT_GE(expiries.size(), 30U);
  for (const auto& [second, n] : expiries) EXPECT_LE(n, 2 * mean) << "second " << second;
}

TEST_F(UnderLoad, AHotKeyIsRefreshedBeforeItExpiresByOneAtATimeAndNobodyWaits) {
  ReadThroughConfig config;
  config.ttl = 10s;
  config.stale_while_revalidate = 0s;  // whoever came too late would have to wait
  make(config);
  get(1);
  constexpr int kPerSecond = 2000, kSeconds = 60;
  for (int i = 0; i < kPerSecond * kSeconds; ++i) {
    calls.clear();
    Call& made = call(1);
    ASSERT_TRUE(made.got) << "call " << i << " waits";
    ASSERT_EQ(made.got->how, ReadHow::hit) << "call " << i;
    pass(Duration(1s) / kPerSecond);
  }
  EXPECT_EQ(most_at_once, 1);
  const auto figures = cache->figures();
  EXPECT_GE(figures.refreshes, 5U);
  EXPECT_LE(figures.refreshes, 12U);
  EXPECT_EQ(figures.misses, 1U);
}

TEST_F(UnderLoad, DistinctIdsStayWithinTheBoundAndLeaveNoFlight) {
  ReadThroughConfig config;
  config.max_entries = 10'000;
  config.concurrency.concurrency = 200;
  make(config);
  takes = 10ms;
  constexpr int kBatch = 25;  // 5000 a second
  for (int id = 0; id < kIds; id += kBatch) {
    for (int i = id; i < id + kBatch; ++i) {
      // Every other one is absent, and each is asked for by one caller.
      boost::asio::co_spawn(io, cache->get(i % 2 == 0 ? i : -i), [](std::exception_ptr, Got got) {
        EXPECT_NE(got.status, ReadStatus::error);
      });
    }
    pass(5ms);
    if (id % 10'000 == 0) ASSERT_LE(cache->figures().entries, 10'000U);
  }
  pass(takes);
  const auto figures = cache->figures();
  EXPECT_EQ(queries, kIds);
  EXPECT_EQ(figures.entries, 10'000U);
  EXPECT_EQ(figures.in_flight, 0U);
  EXPECT_EQ(figures.running, 0U);
}

}  // namespace
}  // namespace tanggul::shield
