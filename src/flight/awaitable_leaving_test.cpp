#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>

#include "flight/signal_for_test.h"
#include "tanggul/flight/awaitable.h"

// Callers that are cancelled or destroyed while they wait.
namespace tanggul {
namespace {

namespace asio = boost::asio;
using Flights = SingleFlight<int, std::string>;
using Outcome = Flights::Outcome;

asio::awaitable<std::string> after(test::Signal* signal) {
  co_await signal->wait();
  co_return "landed";
}
asio::awaitable<std::string> never() { co_return "never"; }

// One that can be cancelled, or whose io_context can go.
class Caller {
 public:
  void start(asio::io_context& io, asio::awaitable<Outcome> call) {
    asio::co_spawn(
        io, std::move(call),
        asio::bind_cancellation_slot(cancellation_.slot(), [this](std::exception_ptr e, Outcome o) {
          threw = e != nullptr;
          if (!threw) outcome.emplace(std::move(o));
        }));
    io.restart();
    io.poll();
  }
  void cancel() { cancellation_.emit(asio::cancellation_type::terminal); }
  std::optional<FlightError> error() const {
    return outcome && !*outcome ? std::optional(outcome->error()) : std::nullopt;
  }

  std::optional<Outcome> outcome;
  bool threw = false;

 private:
  asio::cancellation_signal cancellation_;
};

class LeavingAFlight : public testing::Test {
 public:
  asio::awaitable<Outcome> inline_call() {
    return async_run(flights, 1, [this] { return after(&signal); });
  }
  asio::awaitable<Outcome> detached_call(asio::io_context& on) {
    return async_run_detached(flights, 1, Flights::kForever, on.get_executor(),
                              [this] { return after(&signal); });
  }
  void poll() {
    io.restart();
    io.poll();
  }
  void land() {
    signal.give();
    poll();
  }

  asio::io_context io{1};
  test::Signal signal{io};
  Flights flights;
};

TEST_F(LeavingAFlight, ACancelledFollowerLeavesAlone) {
  Caller leader, leaver, other;
  leader.start(io, inline_call());
  leaver.start(io, inline_call());
  other.start(io, inline_call());
  leaver.cancel();
  poll();
  EXPECT_EQ(leaver.error(), FlightError::cancelled);
  EXPECT_FALSE(leader.outcome || other.outcome);
  land();
  EXPECT_EQ(**leader.outcome, "landed");
  EXPECT_EQ(**other.outcome, "landed");
}

TEST_F(LeavingAFlight, ACancelledStarterOfADetachedOneLeavesAlone) {
  Caller starter, other;
  starter.start(io, detached_call(io));
  other.start(io, detached_call(io));
  starter.cancel();
  poll();
  EXPECT_EQ(starter.error(), FlightError::cancelled);
  EXPECT_FALSE(starter.outcome->shared());
  EXPECT_EQ(flights.in_flight(), 1U);
  land();
  EXPECT_EQ(**other.outcome, "landed");
}

TEST_F(LeavingAFlight, ACancelledLeaderAbandonsAndItsAbortIsNobodyElses) {
  Caller leader, follower;
  leader.start(io, inline_call());
  follower.start(io, inline_call());
  leader.cancel();
  poll();
  EXPECT_TRUE(leader.threw);
  EXPECT_FALSE(follower.threw);
  EXPECT_EQ(follower.error(), FlightError::abandoned);
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST_F(LeavingAFlight, ADestroyedLeaderAbandons) {
  Caller leader, follower;
  {
    asio::io_context elsewhere(1);
    test::Signal there(elsewhere);
    leader.start(elsewhere, async_run(flights, 1, [&] { return after(&there); }));
    follower.start(io, inline_call());
    EXPECT_FALSE(follower.outcome.has_value());
  }
  poll();
  EXPECT_EQ(follower.error(), FlightError::abandoned);
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST_F(LeavingAFlight, ADestroyedFollowerIsToldNothing) {
  Caller leader, gone, other;
  leader.start(io, inline_call());
  {
    asio::io_context elsewhere(1);
    gone.start(elsewhere, inline_call());
    other.start(io, inline_call());
  }
  land();
  EXPECT_FALSE(gone.outcome.has_value());
  EXPECT_EQ(**leader.outcome, "landed");
  EXPECT_EQ(**other.outcome, "landed");
}

TEST_F(LeavingAFlight, TheDestroyedStarterOfADetachedOneIsNotMissed) {
  Caller gone, other;
  {
    asio::io_context elsewhere(1);
    gone.start(elsewhere, detached_call(io));
    other.start(io, detached_call(io));
  }
  land();
  EXPECT_EQ(**other.outcome, "landed");
}

TEST_F(LeavingAFlight, ADetachedOneWhoseExecutorGoesAwayIsAbandoned) {
  Caller caller;
  {
    asio::io_context elsewhere(1);
    caller.start(
        io, async_run_detached(flights, 1, Flights::kForever, elsewhere.get_executor(), never));
    EXPECT_EQ(flights.in_flight(), 1U);
  }
  poll();
  EXPECT_EQ(caller.error(), FlightError::abandoned);
}

}  // namespace
}  // namespace tanggul
