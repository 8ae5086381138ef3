#include "cache/memory_tier.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>

namespace tanggul::cache {
namespace {

EntryPtr entry_of(std::size_t bytes, int status = 200) {
  auto e = std::make_shared<Entry>();
  e->status = status;
  e->forms.push_back({"", "", std::make_shared<const std::string>(bytes, 'x'), ""});
  encode_heads(*e);
  return e;
}

std::string key(int i) { return "key-" + std::to_string(i); }

TEST(MemoryTier, GivesBackWhatWasPut) {
  MemoryTier tier(1_MiB);
  EXPECT_EQ(tier.get("a"), nullptr);
  ASSERT_TRUE(tier.put("a", entry_of(10, 200)));
  ASSERT_TRUE(tier.put("a", entry_of(20, 404)));
  EXPECT_EQ(tier.get("a")->status, 404);
  EXPECT_EQ(tier.size(), 1U);
  tier.erase("a");
  EXPECT_EQ(tier.get("a"), nullptr);
  EXPECT_EQ(tier.bytes(), 0U);
}

TEST(MemoryTier, NeverHoldsMoreThanItsBytes) {
  MemoryTier tier(1_MiB);
  for (int i = 0; i < 20'000; ++i) {
    tier.put(key(i), entry_of(static_cast<std::size_t>(i * 37 % 4000)));
    ASSERT_LE(tier.bytes(), 1_MiB);
  }
  EXPECT_GT(tier.size(), 100U);
  EXPECT_GT(tier.evictions(), 10'000U);
}

TEST(MemoryTier, CountsHeadersAndBookkeepingToo) {
  MemoryTier tier(1_MiB);
  tier.put("k", entry_of(0));
  EXPECT_GT(tier.bytes(), 300U);
}

#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer)
TEST(MemoryTier, ChargesWhatTheAllocatorReallyTakes) {
  const auto taken = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  MemoryTier tier(1_GiB);
  const auto before = taken();
  for (int i = 0; i < 5000; ++i) {
    auto e = std::make_shared<Entry>();
    e->status = 200;
    e->headers.add("Content-Type", "application/octet-stream");
    e->headers.add("Cache-Control", "max-age=3600");
    e->headers.add("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
    e->headers.add("ETag", "\"0123456789abcdef0123\"");
    e->forms.push_back({"", "", std::make_shared<const std::string>(500, 'x'), ""});
    encode_heads(*e);
    tier.put("origin\x1f/some/path/" + key(i), std::move(e));
  }
  const double real = static_cast<double>(taken() - before);
  EXPECT_NEAR(static_cast<double>(tier.bytes()) / real, 1.0, 0.1);
}
#endif

TEST(MemoryTier, RefusesWhatIsOverAnEighthAndDropsWhatThatReplaces) {
  MemoryTier tier(1_MiB);
  tier.put("a", entry_of(10));
  EXPECT_FALSE(tier.put("a", entry_of(200'000)));
  EXPECT_EQ(tier.get("a"), nullptr);
}

TEST(MemoryTier, NeverHoldsMoreEntriesThanItMay) {
  MemoryTier tier(1_GiB, 0, 100);
  for (int i = 0; i < 1000; ++i) {
    tier.put(key(i), entry_of(10));
    ASSERT_LE(tier.size(), 100U);
  }
  EXPECT_EQ(tier.size(), 100U);
  for (int i = 0; i < 1000; ++i) tier.erase(key(i));
  tier.put("a", entry_of(1));
  EXPECT_NE(tier.get("a"), nullptr);
}

TEST(MemoryTier, KeepsWhatIsUsedThroughAOneTimeCrawl) {
  MemoryTier tier(1_MiB);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 100; ++i) {
      if (!tier.get(key(i))) tier.put(key(i), entry_of(2000));
    }
  for (int i = 1000; i < 20'000; ++i) tier.put(key(i), entry_of(2000));
  int kept = 0;
  for (int i = 0; i < 100; ++i) kept += tier.get(key(i)) != nullptr ? 1 : 0;
  EXPECT_GE(kept, 95);
}

TEST(MemoryTier, ErasesOnlyWhatIsStillThere) {
  MemoryTier tier(1_MiB);
  const EntryPtr first = entry_of(1), second = entry_of(2);
  tier.put("a", first);
  tier.put("a", second);
  tier.erase("a", first);
  EXPECT_EQ(tier.get("a"), second);
  tier.erase("a", second);
  EXPECT_EQ(tier.get("a"), nullptr);
}

TEST(MemoryTier, ErasesWhatIsChosenAndCountsItOff) {
  MemoryTier tier(1_MiB);
  for (int i = 0; i < 100; ++i) tier.put(key(i), entry_of(100));
  const ByteCount before = tier.bytes();
  tier.erase_if([](std::string_view k, const Entry&) { return k.ends_with('7'); });
  EXPECT_EQ(tier.size(), 90U);
  EXPECT_EQ(tier.get(key(17)), nullptr);
  EXPECT_NE(tier.get(key(18)), nullptr);
  EXPECT_LT(tier.bytes(), before);
  tier.erase_if([](std::string_view, const Entry&) { return true; });
  EXPECT_EQ(tier.bytes(), 0U);
}

TEST(MemoryTier, KeepsItsBoundUnderThreads) {
  MemoryTier tier(1_MiB);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        const std::string k = key((i * 7 + t) % 900);
        if (!tier.get(k)) tier.put(k, entry_of(3000));
        if (i % 50 == 0) tier.erase(k);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_LE(tier.bytes(), 1_MiB);
  for (int i = 0; i < 900; ++i) tier.erase(key(i));
  EXPECT_EQ(tier.bytes(), 0U);
  EXPECT_EQ(tier.size(), 0U);
}

TEST(MemoryTier, ASmallerCapacityEvictsAtOnceAndALargerOneTakesMore) {
  MemoryTier tier(1_MiB);
  for (int i = 0; i < 100; ++i) tier.put("k" + std::to_string(i), entry_of(8000));
  ASSERT_GT(tier.bytes(), 700'000U);
  tier.set_capacity(100_KiB);
  EXPECT_LE(tier.bytes(), 100_KiB);
  EXPECT_FALSE(tier.put("large", entry_of(20'000)));  // over an eighth of it
  tier.set_capacity(1_MiB);
  EXPECT_TRUE(tier.put("large", entry_of(20'000)));
}

}  // namespace
}  // namespace tanggul::cache
