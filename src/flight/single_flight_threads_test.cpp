#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "flight/callers_for_test.h"
#include "flight/executors_for_test.h"
#include "tanggul/flight/single_flight.h"

namespace tanggul {
namespace {

void on_threads(int n, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) threads.emplace_back(body, i);
  for (auto& thread : threads) thread.join();
}

// Each key has a counter without a lock: the flight is the lock. A second flight beside a first,
// or a value seen before it was whole, is a race that ThreadSanitizer sees and a wrong sum.
TEST(SingleFlightThreads, NeverFlyOneKeyTwiceAtOnce) {
  constexpr int kKeys = 3, kRounds = 5000;
  SingleFlight<int, std::vector<int>> flights;
  std::vector<int> flown(kKeys, 0);
  std::atomic<int> started{0};
  on_threads(4, [&](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < kRounds; ++i) {
      const int key = static_cast<int>(random() % kKeys);
      const auto outcome = flights.run(key, [&] {
        ++started;
        ++flown[static_cast<std::size_t>(key)];
        return std::vector<int>(8, key);
      });
      ASSERT_TRUE(outcome.has_value());
      ASSERT_EQ(outcome->back(), key);
    }
  });
  int sum = 0;
  for (const int n : flown) sum += n;
  EXPECT_EQ(sum, started);
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(SingleFlightThreads, EveryCallerOfEveryMixEndsAndNothingIsLeft) {
  SingleFlight<int, int> flights;
  std::atomic<int> ended{0};
  constexpr int kThreads = 4, kRounds = 2000;
  on_threads(kThreads, [&](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed) + 77);
    const auto fn = [&]() -> int {
      if (random() % 5 == 0) throw std::runtime_error("now and then");
      return 1;
    };
    for (int i = 0; i < kRounds; ++i) {
      const int key = static_cast<int>(random() % 4);
      const auto deadline = random() % 3 == 0
                                ? std::chrono::steady_clock::now() + std::chrono::microseconds(20)
                                : decltype(flights)::kForever;
      try {
        switch (random() % 4) {
          case 0:
            flights.run_detached(key, deadline, test::Inline(), fn);
            break;
          case 1:
            flights.run_detached(key, deadline, test::Dropping(), fn);
            break;
          case 2:
            flights.forget(key);
            [[fallthrough]];
          default:
            flights.run(key, fn, deadline);
        }
      } catch (const std::runtime_error&) {
      }
      ++ended;
    }
  });
  EXPECT_EQ(ended, kThreads * kRounds);
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(SingleFlightThreads, ALandingWakesWhoHasJustBegunToWait) {
  for (int round = 0; round < 500; ++round) {
    SingleFlight<int, int> flights;
    std::atomic<int> got{0};
    on_threads(3, [&](int) { got += *flights.run(1, [] { return 1; }); });
    ASSERT_EQ(got, 3);
  }
}

}  // namespace
}  // namespace tanggul
