#include "tanggul/flight/single_flight.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "flight/callers_for_test.h"

namespace tanggul {
namespace {

using Flights = SingleFlight<int, std::string>;
using test::Crowd;
using test::Gate;

TEST(SingleFlight, BringsTheValueOfWhoeverCallsAlone) {
  Flights flights;
  const auto outcome = flights.run(1, [] { return std::string("one"); });
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*outcome, "one");
  EXPECT_FALSE(outcome.shared());
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(SingleFlight, RemembersNothing) {
  Flights flights;
  int calls = 0;
  for (int i = 0; i < 3; ++i) flights.run(1, [&] { return std::to_string(++calls); });
  EXPECT_EQ(calls, 3);
}

TEST(SingleFlight, GivesAllWhoWaitOneValueOfWhichAllButOneAreShared) {
  Flights flights;
  Gate gate;
  Crowd crowd(8, [&](int) {
    return flights.run(1, [&] {
      gate.wait();
      return std::string("once");
    });
  });
  ASSERT_TRUE(test::waiting(flights, 1, 7));
  gate.open();
  const auto outcomes = crowd.outcomes<Flights::Outcome>();
  int shared = 0;
  for (const auto& outcome : outcomes) {
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome.handle(), outcomes.front().handle());  // the same object, not a copy of it
    shared += outcome.shared() ? 1 : 0;
  }
  EXPECT_EQ(shared, 7);
}

TEST(SingleFlight, LeavesOtherKeysAlone) {
  Flights flights;
  const auto outer = flights.run(1, [&] {
    const auto inner = flights.run(2, [] { return std::string("inner"); });
    EXPECT_EQ(flights.in_flight(), 1U);
    return *inner + ", outer";
  });
  EXPECT_EQ(*outer, "inner, outer");
}

TEST(SingleFlight, TellsFnThatAsksForItsOwnKeyAtOnce) {
  Flights flights;
  const auto outer = flights.run(1, [&] {
    const auto inner = flights.run(1, [] { return std::string("never"); });
    EXPECT_FALSE(inner.has_value());
    EXPECT_EQ(inner.error(), FlightError::recursive);
    return std::string("outer");
  });
  EXPECT_EQ(*outer, "outer");
}

TEST(SingleFlight, TwoThatWaitForEachOtherEndByTheirDeadlines) {
  Flights flights;
  Gate both;
  const auto crossed = [&](int own, int other) {
    return flights.run(own, [&, other] {
      both.arrive_and_wait(2);
      const auto theirs = flights.run(
          other, [] { return std::string("never"); },
          std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
      return theirs ? *theirs : std::string(name(theirs.error()));
    });
  };
  Crowd crowd(2, [&](int i) { return crossed(i, 1 - i); });
  int by_deadline = 0;
  for (const auto& outcome : crowd.outcomes<Flights::Outcome>())
    by_deadline += outcome && *outcome == "deadline" ? 1 : 0;
  EXPECT_GE(by_deadline, 1);  // the other one may have got that one's value
}

TEST(SingleFlight, AFollowerLeavesAtItsDeadlineAndTheFlightGoesOn) {
  Flights flights;
  Gate gate;
  Crowd leader(1, [&](int) {
    return flights.run(1, [&] {
      gate.wait();
      return std::string("late");
    });
  });
  ASSERT_TRUE(test::waiting(flights, 1, 0));
  const auto never = [] { return std::string("never"); };
  const auto now = std::chrono::steady_clock::now();
  for (const auto deadline : {now, now + std::chrono::milliseconds(10)}) {
    const auto hasty = flights.run(1, never, deadline);
    ASSERT_FALSE(hasty.has_value());
    EXPECT_EQ(hasty.error(), FlightError::deadline);
    EXPECT_TRUE(hasty.shared());
  }
  EXPECT_EQ(flights.in_flight(), 1U);
  gate.open();
  EXPECT_EQ(*leader.outcomes<Flights::Outcome>().front(), "late");
}

TEST(SingleFlight, WhatFnThrowsReachesAllWhoWaitAndTheNextCallStartsAnew) {
  Flights flights;
  Gate gate;
  std::atomic<int> calls{0};
  Crowd crowd(8, [&](int) {
    return flights.run(1, [&]() -> std::string {
      ++calls;
      gate.wait();
      throw std::runtime_error("no database");
    });
  });
  ASSERT_TRUE(test::waiting(flights, 1, 7));
  gate.open();
  EXPECT_EQ(crowd.failures("no database"), 8);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(flights.in_flight(), 0U);
  EXPECT_EQ(*flights.run(1, [] { return std::string("again"); }), "again");
}

TEST(SingleFlight, ForgetLetsTheNextStartAnewAndTheOldOneNeverRemovesIt) {
  Flights flights;
  Gate first, second;
  const auto call = [&](Gate& gate, const char* value) {
    return flights.run(1, [&gate, value] {
      gate.wait();
      return std::string(value);
    });
  };
  Crowd old(2, [&](int) { return call(first, "old"); });
  ASSERT_TRUE(test::waiting(flights, 1, 1));
  EXPECT_TRUE(flights.forget(1));
  EXPECT_FALSE(flights.forget(1));
  EXPECT_EQ(flights.in_flight(), 0U);
  Crowd successor(1, [&](int) { return call(second, "new"); });
  ASSERT_TRUE(test::waiting(flights, 1, 0));
  first.open();
  for (const auto& outcome : old.outcomes<Flights::Outcome>()) EXPECT_EQ(*outcome, "old");
  EXPECT_EQ(flights.in_flight(), 1U);  // the successor's entry is still there
  Crowd joiner(1, [&](int) { return call(second, "not joined"); });
  ASSERT_TRUE(test::waiting(flights, 1, 1));
  second.open();
  EXPECT_EQ(*joiner.outcomes<Flights::Outcome>().front(), "new");
  EXPECT_EQ(*successor.outcomes<Flights::Outcome>().front(), "new");
}

TEST(SingleFlight, TakesValuesThatCanOnlyBeMoved) {
  SingleFlight<std::string, std::unique_ptr<int>> flights;
  const auto outcome = flights.run("k", [] { return std::make_unique<int>(7); });
  EXPECT_EQ(**outcome, 7);
}

TEST(SingleFlight, TakesFunctionsThatReturnNothing) {
  SingleFlight<int, std::monostate> flights;
  int calls = 0;
  EXPECT_TRUE(flights.run(1, [&] { ++calls; }).has_value());
  EXPECT_EQ(calls, 1);
}

struct Thrower {
  Thrower() = default;
  Thrower(const Thrower&) = delete;
  Thrower(Thrower&& other) {  // NOLINT(performance-noexcept-move-constructor): what it is for
    if (other.armed) throw std::runtime_error("moving");
  }
  bool armed = false;
};

TEST(SingleFlight, AValueThatThrowsAsItIsMovedIsAFailure) {
  SingleFlight<int, Thrower> flights;
  const auto armed = [] {
    Thrower value;
    value.armed = true;
    return value;
  };
  EXPECT_THROW(flights.run(1, armed), std::runtime_error);
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST(SingleFlight, TheValueOutlivesTheFlights) {
  std::shared_ptr<const std::string> kept;
  {
    Flights flights;
    kept = flights.run(1, [] { return std::string("kept"); }).handle();
  }
  EXPECT_EQ(*kept, "kept");
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(SingleFlight, FindsStringsByViewsWithTransparentHash) {
  SingleFlight<std::string, int, StringHash, std::equal_to<>> flights;
  const std::string_view key = "a key";
  const auto outcome = flights.run(key, [&] { return flights.forget("a key") ? 1 : 0; });
  EXPECT_EQ(*outcome, 1);
}

}  // namespace
}  // namespace tanggul
