#include "async/waiter.h"

#include <gtest/gtest.h>

#include <thread>

#include "async/offload.h"
#include "async/spawn.h"

namespace tanggul::async {
namespace {

Task<void> wait_for_flag(WaiterPtr waiter, const std::atomic<bool>& flag, MonoTime deadline,
                         bool& seen) {
  while (!flag && MonoClock::now() < deadline) co_await waiter->wait_until(deadline);
  seen = flag;
}

TEST(Waiter, EndsAtItsDeadlineInVirtualTime) {
  VirtualClock clock;
  asio::io_context io(1);
  const std::atomic<bool> flag{false};
  bool seen = true;
  spawn(io.get_executor(), "wait",
        wait_for_flag(Waiter::make(io.get_executor()), flag, clock.now().mono + 24h, seen));
  io.poll();
  clock.advance(24h - 1ns);
  io.poll();
  EXPECT_TRUE(seen);  // still waiting
  clock.advance(1ns);
  io.restart();
  io.poll();
  EXPECT_FALSE(seen);
}

TEST(Waiter, IsWokenFromAnotherThreadAndLosesNoWake) {
  for (int round = 0; round < 200; ++round) {
    asio::io_context io(1);
    std::atomic<bool> flag{false};
    bool seen = false;
    const WaiterPtr waiter = Waiter::make(io.get_executor());
    spawn(io.get_executor(), "wait", wait_for_flag(waiter, flag, kForever, seen));
    std::thread other([&] {
      flag = true;
      waiter->wake();
    });
    io.run();
    other.join();
    ASSERT_TRUE(seen);
  }
}

Task<void> offload_twice(Offload& pool, std::thread::id& worker, bool& threw) {
  co_await pool.run([&] { worker = std::this_thread::get_id(); });
  try {
    co_await pool.run([] { throw std::runtime_error("no"); });
  } catch (const std::runtime_error&) {
    threw = true;
  }
}

TEST(Offload, RunsElsewhereAndBringsExceptionsBack) {
  asio::io_context io(1);
  Offload pool(1);  // ends first: its thread may still be waking somebody on io
  std::thread::id worker = std::this_thread::get_id();
  bool threw = false;
  spawn(io.get_executor(), "offload", offload_twice(pool, worker, threw));
  io.run();
  EXPECT_NE(worker, std::this_thread::get_id());
  EXPECT_TRUE(threw);
}

Task<void> throws() {
  throw std::runtime_error("on purpose");
  co_return;
}

TEST(TaskGroup, CountsWhatRunsAndSurvivesAThrow) {
  asio::io_context io(1);
  TaskGroup group;
  const auto before = uncaught_total();
  group.spawn(io.get_executor(), "bad", throws());
  EXPECT_EQ(group.running(), 1);
  io.run();
  EXPECT_EQ(group.running(), 0);
  EXPECT_EQ(uncaught_total(), before + 1);
}

}  // namespace
}  // namespace tanggul::async
