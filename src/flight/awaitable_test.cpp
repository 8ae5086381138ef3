#include "tanggul/flight/awaitable.h"

#include <gtest/gtest.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "flight/callers_for_test.h"
#include "flight/signal_for_test.h"

namespace tanggul {
namespace {

namespace asio = boost::asio;
using Flights = SingleFlight<int, std::string>;
using Outcome = Flights::Outcome;
using test::Signal;
template <class T>
using Task = asio::awaitable<T>;

Task<std::string> after(Signal* signal, std::string value) {
  co_await signal->wait();
  co_return value;
}
Task<std::string> failing(Signal* signal) {
  co_await signal->wait();
  throw std::runtime_error("no database");
}
Task<std::string> never() { co_return "never"; }

// What a caller got, once it has.
struct Caller {
  std::optional<Outcome> outcome;
  std::string threw;
  void start(const asio::any_io_executor& executor, Task<Outcome> call) {
    asio::co_spawn(executor, std::move(call), [this](std::exception_ptr e, Outcome o) {
      if (!e) {
        outcome.emplace(std::move(o));
        return;
      }
      try {
        std::rethrow_exception(e);
      } catch (const std::exception& error) {
        threw = error.what();
      }
    });
  }
};

class AwaitableFlight : public testing::Test {
 public:
  void start(Caller& caller, Task<Outcome> call) {
    caller.start(io.get_executor(), std::move(call));
    poll();
  }
  void poll() {
    io.restart();
    io.poll();
  }

  asio::io_context io{1};
  Signal signal{io};
  Flights flights;
};

TEST_F(AwaitableFlight, IsSharedByAllWhoAwaitIt) {
  std::vector<Caller> callers(50);
  int calls = 0;
  for (Caller& caller : callers) {
    start(caller, async_run(flights, 1, [&] {
            ++calls;
            return after(&signal, "once");
          }));
  }
  EXPECT_EQ(calls, 1);
  signal.give();
  poll();
  int shared = 0;
  for (const Caller& caller : callers) {
    ASSERT_TRUE(caller.outcome && caller.outcome->has_value());
    EXPECT_EQ(caller.outcome->handle(), callers.front().outcome->handle());
    shared += caller.outcome->shared() ? 1 : 0;
  }
  EXPECT_EQ(shared, 49);
  EXPECT_EQ(flights.in_flight(), 0U);
}

TEST_F(AwaitableFlight, WhatFnThrowsReachesAllAndTheNextStartsAnew) {
  std::vector<Caller> callers(10);
  for (Caller& caller : callers)
    start(caller, async_run(flights, 1, [&] { return failing(&signal); }));
  signal.give();
  poll();
  for (const Caller& caller : callers) EXPECT_EQ(caller.threw, "no database");
  Caller next;
  start(next, async_run(flights, 1, [&] { return after(&signal, "anew"); }));
  EXPECT_EQ(**next.outcome, "anew");
}

TEST_F(AwaitableFlight, AFollowerLeavesAtItsDeadline) {
  Caller leader, hasty;
  start(leader, async_run(flights, 1, [&] { return after(&signal, "late"); }));
  start(hasty, async_run(flights, 1, never, std::chrono::steady_clock::now()));
  ASSERT_TRUE(hasty.outcome.has_value());
  EXPECT_EQ(hasty.outcome->error(), FlightError::deadline);
  EXPECT_FALSE(leader.outcome.has_value());
  signal.give();
  poll();
  EXPECT_EQ(**leader.outcome, "late");
}

TEST_F(AwaitableFlight, ADetachedOneLetsItsStarterLeaveAtItsDeadline) {
  Caller starter, joiner;
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  start(starter, async_run_detached(flights, 1, soon, io.get_executor(),
                                    [&] { return after(&signal, "landed"); }));
  start(joiner, async_run_detached(flights, 1, Flights::kForever, io.get_executor(), never));
  io.restart();
  while (!starter.outcome) io.run_one();
  EXPECT_EQ(starter.outcome->error(), FlightError::deadline);
  EXPECT_FALSE(starter.outcome->shared());
  EXPECT_EQ(flights.in_flight(), 1U);
  signal.give();
  poll();
  EXPECT_EQ(**joiner.outcome, "landed");
  EXPECT_TRUE(joiner.outcome->shared());
}

TEST_F(AwaitableFlight, StartsOneForWhichNobodyWaits) {
  EXPECT_TRUE(start_detached(flights, 1, io.get_executor(), [&] { return after(&signal, "x"); }));
  EXPECT_FALSE(start_detached(flights, 1, io.get_executor(), never));
  poll();
  Caller joiner;
  start(joiner, async_run(flights, 1, never));
  signal.give();
  poll();
  EXPECT_EQ(**joiner.outcome, "x");
}

TEST_F(AwaitableFlight, IsStartedWhenItIsAwaitedAndNotBefore) {
  auto call = async_run(flights, 1, [&] { return after(&signal, "x"); });
  EXPECT_EQ(flights.in_flight(), 0U);
  Caller caller;
  start(caller, std::move(call));
  EXPECT_EQ(flights.in_flight(), 1U);
  signal.give();
  poll();
}

asio::awaitable<void> nothing() { co_return; }

TEST_F(AwaitableFlight, TakesCoroutinesThatReturnNothing) {
  SingleFlight<int, std::monostate> plain;
  bool landed = false;
  asio::co_spawn(io, async_run(plain, 1, nothing),
                 [&](std::exception_ptr, const auto& outcome) { landed = outcome.has_value(); });
  poll();
  EXPECT_TRUE(landed);
}

using Fast = asio::io_context::executor_type;
asio::awaitable<std::string, Fast> on_fast() { co_return "fast"; }

TEST_F(AwaitableFlight, TakesAwaitablesOfAnyExecutorAndOneForEach) {
  std::string value;
  asio::co_spawn(io.get_executor(), async_run(flights, 1, on_fast),
                 [&](std::exception_ptr, const Outcome& outcome) { value = *outcome; });
  poll();
  EXPECT_EQ(value, "fast");
  Caller caller;
  start(caller, async_run_detached<asio::any_io_executor>(flights, 1, Flights::kForever,
                                                          io.get_executor(), on_fast));
  EXPECT_EQ(**caller.outcome, "fast");
}

TEST_F(AwaitableFlight, IsJoinedByThreadsThatBlock) {
  Caller leader;
  start(leader, async_run(flights, 1, [&] { return after(&signal, "for both"); }));
  test::Crowd blocking(2, [&](int) { return flights.run(1, [] { return std::string("never"); }); });
  ASSERT_TRUE(test::waiting(flights, 1, 2));
  signal.give();
  poll();
  for (const auto& outcome : blocking.outcomes<Outcome>()) EXPECT_EQ(*outcome, "for both");
}

TEST_F(AwaitableFlight, JoinsOneThatAThreadFlies) {
  test::Gate gate;
  test::Crowd blocking(1, [&](int) {
    return flights.run(1, [&] {
      gate.wait();
      return std::string("for both");
    });
  });
  ASSERT_TRUE(test::waiting(flights, 1, 0));
  Caller follower;
  start(follower, async_run(flights, 1, never));
  EXPECT_FALSE(follower.outcome.has_value());
  gate.open();
  io.restart();
  io.run();
  EXPECT_EQ(**follower.outcome, "for both");
}

// Coroutines that no strand holds together, on all threads of a pool.
TEST(AwaitableFlightThreads, EveryCallerOnAPoolOfThreadsGetsItsValue) {
  asio::thread_pool pool(4);
  Flights flights;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::future<Outcome>> callers;
    for (int i = 0; i < 8; ++i) {
      const int key = i % 2;
      auto call = i < 4 ? async_run(flights, key, never)
                        : async_run_detached(flights, key, Flights::kForever,
                                             asio::any_io_executor(pool.get_executor()), never);
      callers.push_back(asio::co_spawn(pool, std::move(call), asio::use_future));
    }
    for (auto& caller : callers) ASSERT_EQ(*caller.get(), "never");
  }
  pool.join();
  EXPECT_EQ(flights.in_flight(), 0U);
}

}  // namespace
}  // namespace tanggul
