#include "tanggul/flight/flight_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "flight/executors_for_test.h"
#include "tanggul/flight/single_flight.h"

namespace tanggul {
namespace {

using Flights = SingleFlight<int, int>;
// It is about the bound and not about the number, where a sanitizer makes everything slow.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kStorm = 100'000;
#else
constexpr int kStorm = 1'000'000;
#endif
constexpr std::size_t kSmall = 128;  // one chain in each shard

TEST(FlightTable, IsEmptyAfterAStormOfUniqueKeys) {
  Flights flights;
  for (int i = 0; i < kStorm; ++i) flights.run(i, [i] { return i; });
  EXPECT_EQ(flights.in_flight(), 0U);
  EXPECT_LE(flights.table()->places(), kSmall);
}

TEST(FlightTable, IsSmallAgainAfterAStormThatWasUnderWayAllAtOnce) {
  Flights flights;
  test::Later later;
  const auto over = std::chrono::steady_clock::now();
  int landed = 0;
  for (int i = 0; i < kStorm; ++i) {
    flights.run_detached(i, over, later, [&landed] { return ++landed; });
  }
  EXPECT_EQ(flights.in_flight(), static_cast<std::size_t>(kStorm));
  EXPECT_LE(flights.table()->places(), std::size_t{2} * kStorm + kSmall);
  later.run();
  EXPECT_EQ(landed, kStorm);
  EXPECT_EQ(flights.in_flight(), 0U);
  EXPECT_LE(flights.table()->places(), kSmall);
}

struct OneHash {
  std::size_t operator()(int) const { return 7; }
};

TEST(FlightTable, TellsKeysOfOneHashApart) {
  SingleFlight<int, int, OneHash> flights;
  test::Later later;
  const auto over = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) flights.run_detached(i, over, later, [i] { return i; });
  EXPECT_EQ(later.taken(), 100U);
  for (int i = 0; i < 100; i += 3) EXPECT_TRUE(flights.forget(i));
  const auto never = [] { return -1; };
  for (int i = 0; i < 100; ++i) {
    const auto met = flights.run(i, never, over);
    EXPECT_EQ(met.has_value(), i % 3 == 0) << i;
  }
  later.run();
  EXPECT_EQ(flights.in_flight(), 0U);
}

// A flight that ends late must not be taken for one that has its place by now.
TEST(FlightTable, AnEndingFlightRemovesNoneOfItsSuccessors) {
  using Table = Flights::Table;
  Table table;
  std::vector<Table::EntryPtr> generations;
  for (int i = 0; i < 50; ++i) {
    const auto boarding = table.board(1, std::thread::id());
    ASSERT_TRUE(boarding.starts);
    generations.push_back(boarding.entry);
    for (const auto& earlier : generations) {
      if (earlier != boarding.entry) table.remove(*earlier);
    }
    EXPECT_EQ(table.size(), 1U);
    EXPECT_EQ(table.board(1, std::thread::id()).entry, boarding.entry);
    table.forget(1);
  }
}

TEST(FlightTable, AnAbandonedFlightIsOverAndGone) {
  using Table = Flights::Table;
  Table table;
  const auto entry = table.board(1, std::thread::id()).entry;
  std::make_unique<flight::Pilot<Table>>(table, entry).reset();
  EXPECT_EQ(entry->phase(), flight::Flight<int>::Phase::abandoned);
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace tanggul
