#include "cache/disk/index.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "tanggul/base/random.h"

namespace tanggul::cache {
namespace {

ObjectId id(std::uint64_t n) { return {n * 0x9e3779b97f4a7c15ULL, n * 0xbf58476d1ce4e5b9ULL}; }
constexpr auto kEntry = ObjectKind::entry;
constexpr auto kBody = ObjectKind::body;

void fit(Index& index, ByteCount capacity) {
  while (index.bytes() > capacity && index.evict(capacity)) {
  }
}

TEST(Index, KeepsTheBoundAndCountsWhatItHolds) {
  const bool held = rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    Index index;
    std::map<std::pair<ObjectKind, ObjectId>, ByteCount> model;
    for (int step = 0; step < 400; ++step) {
      const ObjectId which = id(rng.bits() % 50);
      const ObjectKind kind = rng.bits() % 2 == 0 ? kEntry : kBody;
      switch (rng.bits() % 5) {
        case 0:
        case 1: {
          const ByteCount size = rng.bits() % 50'000;
          index.put(kind, which, size);
          model[{kind, which}] = Index::weight(size);
          break;
        }
        case 2:
          index.touch(kind, which);
          break;
        case 3:
          RC_ASSERT(index.erase(kind, which) == (model.erase({kind, which}) > 0));
          break;
        case 4:
          if (const auto gone = index.evict(200'000)) {
            RC_ASSERT(model.erase({gone->kind, gone->id}) == 1U);
          } else {
            RC_ASSERT(model.empty());
          }
          break;
      }
      ByteCount bytes = 0;
      for (const auto& [key, size] : model) bytes += size;
      RC_ASSERT(index.bytes() == bytes);
      RC_ASSERT(index.size() == model.size());
      RC_ASSERT(index.has(kind, which) == model.contains({kind, which}));
    }
  });
  EXPECT_TRUE(held);
}

TEST(Index, ACrawlPassesThroughWithoutTouchingWhatIsUsed) {
  constexpr ByteCount kCapacity = 1'000 * 4096;
  Index index;
  for (std::uint64_t n = 0; n < 500; ++n) {
    index.put(kEntry, id(n), 4096);
    index.touch(kEntry, id(n));
  }
  for (std::uint64_t n = 1'000; n < 100'000; ++n) {
    index.put(kEntry, id(n), 4096);
    fit(index, kCapacity);
  }
  std::size_t kept = 0;
  for (std::uint64_t n = 0; n < 500; ++n) kept += index.has(kEntry, id(n)) ? 1 : 0;
  EXPECT_EQ(kept, 500U);
  EXPECT_LE(index.bytes(), kCapacity);
}

TEST(Index, WhatComesBackSoonIsNotOnTrialAgain) {
  constexpr ByteCount kCapacity = 100 * 4096;
  Index index;
  for (std::uint64_t n = 0; n < 110; ++n) index.put(kEntry, id(n), 4096), fit(index, kCapacity);
  ASSERT_FALSE(index.has(kEntry, id(0)));
  index.put(kEntry, id(0), 4096);
  for (std::uint64_t n = 1'000; n < 1'300; ++n)
    index.put(kEntry, id(n), 4096), fit(index, kCapacity);
  EXPECT_TRUE(index.has(kEntry, id(0)));
}

TEST(Index, ABodyIsUsedWithTheEntryThatItIsTiedTo) {
  constexpr ByteCount kCapacity = 100 * 4096;
  Index index;
  index.put(kBody, id(1), 4096);
  index.put(kEntry, id(2), 4096);
  index.tie(id(2), id(1));
  index.touch(kEntry, id(2));
  for (std::uint64_t n = 1'000; n < 2'000; ++n)
    index.put(kEntry, id(n), 4096), fit(index, kCapacity);
  EXPECT_TRUE(index.has(kBody, id(1)));
  EXPECT_TRUE(index.has(kEntry, id(2)));
}

TEST(Index, WhatAScanFindsIsOlderThanWhatCameMeanwhileAndKeepsItsOrder) {
  constexpr ByteCount kCapacity = 10 * 4096;
  Index index;
  index.put(kEntry, id(100), 4096);
  std::vector<Index::Found> found;
  for (std::uint64_t n = 10; n-- > 0;)
    found.push_back({id(n), kEntry, 4096, static_cast<std::int64_t>(n), false});
  found.push_back({id(50), kEntry, 4096, 0, true});  // the oldest, but it was used again
  index.add_older(found);
  EXPECT_EQ(index.size(), 12U);
  fit(index, kCapacity);
  EXPECT_FALSE(index.has(kEntry, id(0)));
  EXPECT_FALSE(index.has(kEntry, id(1)));
  for (const std::uint64_t n : {2, 9, 50, 100}) EXPECT_TRUE(index.has(kEntry, id(n))) << n;
}

TEST(Index, NamesAreReadBackAsTheyAreWritten) {
  const Layout layout("/root");
  const bool held = rc::check([&](std::uint64_t high, std::uint64_t low) {
    const std::string path = layout.path(kBody, {high, low});
    const auto back = parse_name(path.substr(path.rfind('/') + 1));
    RC_ASSERT(back && *back == (ObjectId{high, low}));
    RC_ASSERT(path.starts_with("/root/bodies/"));
  });
  EXPECT_TRUE(held);
  for (const char* other : {"", "x", "0123456789abcdef0123456789abcdeG", "lost+found"})
    EXPECT_FALSE(parse_name(other)) << other;
}

}  // namespace
}  // namespace tanggul::cache
