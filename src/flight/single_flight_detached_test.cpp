#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "flight/callers_for_test.h"
#include "flight/executors_for_test.h"
#include "tanggul/flight/single_flight.h"

namespace tanggul {
namespace {

using Flights = SingleFlight<int, std::string>;
using test::Crowd;
using test::Gate;

Flights::TimePoint over() { return std::chrono::steady_clock::now(); }
std::string never() { return "never"; }

TEST(DetachedFlight, BringsItsValueToTheOneThatStartedIt) {
  Flights flights;
  test::Threads threads;
  std::thread::id ran;
  const auto outcome = flights.run_detached(1, Flights::kForever, threads, [&] {
    ran = std::this_thread::get_id();
    return std::string("elsewhere");
  });
  EXPECT_EQ(*outcome, "elsewhere");
  EXPECT_FALSE(outcome.shared());
  EXPECT_NE(ran, std::this_thread::get_id());
}

TEST(DetachedFlight, GoesOnWhenTheOneThatStartedItHasLeftAndIsJoinedLater) {
  Flights flights;
  test::Later later;
  const auto hasty = flights.run_detached(1, over(), later, [] { return std::string("landed"); });
  ASSERT_FALSE(hasty.has_value());
  EXPECT_EQ(hasty.error(), FlightError::deadline);
  EXPECT_FALSE(hasty.shared());
  EXPECT_EQ(flights.in_flight(), 1U);

  Crowd joiners(3, [&](int i) {
    return i == 0 ? flights.run(1, never)
                  : flights.run_detached(1, Flights::kForever, later, never);
  });
  ASSERT_TRUE(test::waiting(flights, 1, 3));
  EXPECT_EQ(later.taken(), 1U);
  later.run();
  for (const auto& outcome : joiners.outcomes<Flights::Outcome>()) {
    EXPECT_EQ(*outcome, "landed");
    EXPECT_TRUE(outcome.shared());
  }
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(DetachedFlight, IsAbandonedWhenTheExecutorDropsIt) {
  Flights flights;
  test::Later later;
  flights.run_detached(1, over(), later, never);
  Crowd joiners(2, [&](int) { return flights.run(1, never); });
  ASSERT_TRUE(test::waiting(flights, 1, 2));
  later.drop();
  for (const auto& outcome : joiners.outcomes<Flights::Outcome>()) {
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error(), FlightError::abandoned);
  }
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(DetachedFlight, IsAbandonedWhenTheExecutorDropsItAtOnce) {
  Flights flights;
  const auto outcome = flights.run_detached(1, Flights::kForever, test::Dropping(), never);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error(), FlightError::abandoned);
  EXPECT_EQ(flights.in_flight(), 0U);
}

// Holds the hand-over until somebody waits for the flight, and then throws.
struct RefusingOnceJoined {
  Flights& flights;
  template <class F>
  void execute(F) const {
    EXPECT_TRUE(test::waiting(flights, 1, 1));
    throw std::runtime_error("shut down");
  }
};

TEST(DetachedFlight, AnExecutorThatThrowsIsHeardByAllAndFreesTheKey) {
  Flights flights;
  Gate started;
  Crowd starter(1, [&](int) {
    return flights.run_detached(1, Flights::kForever, RefusingOnceJoined{flights}, never);
  });
  ASSERT_TRUE(test::waiting(flights, 1, 0));
  EXPECT_THROW(flights.run(1, never), std::runtime_error);
  EXPECT_EQ(starter.failures("shut down"), 1);
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(DetachedFlight, WhatHasLandedCountsThoughTheExecutorThrewAfterwards) {
  Flights flights;
  const auto run = [] { return std::string("ran"); };
  EXPECT_EQ(*flights.run_detached(1, over(), test::Confused(), run), "ran");
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(DetachedFlight, WhatFnThrowsIsThrownInWhoWaits) {
  Flights flights;
  const auto fails = []() -> std::string { throw std::runtime_error("no database"); };
  EXPECT_THROW(flights.run_detached(1, over(), test::Inline(), fails), std::runtime_error);
  EXPECT_EQ(*flights.run_detached(1, over(), test::Inline(), [] { return std::string("anew"); }),
            "anew");
}

TEST(DetachedFlight, TellsFnThatAsksForItsOwnKeyAtOnce) {
  Flights flights;
  test::Later later;
  std::optional<FlightError> told;
  flights.run_detached(1, over(), later, [&] {
    told = flights.run(1, never).error();
    return std::string();
  });
  later.run();
  EXPECT_EQ(told, FlightError::recursive);
}

TEST(DetachedFlight, OutlivesTheTableThatItStartedIn) {
  test::Later later;
  int calls = 0;
  {
    Flights flights;
    flights.run_detached(1, over(), later, [&] { return std::to_string(++calls); });
  }
  later.run();
  EXPECT_EQ(calls, 1);
}

TEST(DetachedFlight, TakesWhatCanOnlyBeMoved) {
  Flights flights;
  auto word = std::make_unique<std::string>("moved");
  const auto outcome = flights.run_detached(1, Flights::kForever, test::Inline(),
                                            [word = std::move(word)] { return *word; });
  EXPECT_EQ(*outcome, "moved");
}

TEST(DetachedFlight, AForgottenOneLandsForThoseWhoWait) {
  Flights flights;
  test::Later later;
  flights.run_detached(1, over(), later, [] { return std::string("old"); });
  Crowd joiner(1, [&](int) { return flights.run(1, never); });
  ASSERT_TRUE(test::waiting(flights, 1, 1));
  flights.forget(1);
  EXPECT_EQ(*flights.run(1, [] { return std::string("new"); }), "new");
  later.run();
  EXPECT_EQ(*joiner.outcomes<Flights::Outcome>().front(), "old");
}

}  // namespace
}  // namespace tanggul
