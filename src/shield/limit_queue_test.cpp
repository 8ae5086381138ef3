#include "shield/limit_queue.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <deque>

#include "async/spawn.h"

namespace tanggul::shield {
namespace {

namespace asio = boost::asio;
using From = LimitQueue::From;

struct Wanting {
  std::string client;
  ports::Cancellation cancel;
  async::WaiterPtr waiter;
  std::optional<bool> granted;  // once it is decided
};

Task<void> want(LimitQueue& queue, Wanting& w, From from) {
  const auto place = co_await queue.acquire(w.client, w.waiter, w.cancel, from);
  w.granted = place.has_value();
}

class LimitQueueTest : public testing::Test {
 protected:
  Wanting& ask(LimitQueue& queue, From from = From::line, std::string client = "c") {
    Wanting& w = all.emplace_back();
    w.client = std::move(client);
    w.waiter = async::Waiter::make(io.get_executor());
    async::spawn(io.get_executor(), "want", want(queue, w, from));
    settle();
    return w;
  }
  void settle() {
    io.restart();
    io.poll();
  }
  void end_one(LimitQueue& queue) {
    queue.release(1ms, false);
    settle();
  }

  VirtualClock clock;
  asio::io_context io{1};
  std::deque<Wanting> all;
  Histogram waits;
  Counter refusals;
};

LimitConfig at_once(int concurrency) {
  LimitConfig c;
  c.concurrency = concurrency;
  c.queue = 4;
  return c;
}

TEST_F(LimitQueueTest, WhoWasHeldGoesBeforeTheLineInTheOrderOfTheHeld) {
  LimitQueue queue(at_once(1), waits, refusals);
  ask(queue);
  Wanting& line = ask(queue);
  Wanting& first = ask(queue, From::hold);
  Wanting& second = ask(queue, From::hold);
  end_one(queue);
  EXPECT_TRUE(first.granted);
  EXPECT_FALSE(second.granted);
  end_one(queue);
  EXPECT_TRUE(second.granted);
  EXPECT_FALSE(line.granted);
  end_one(queue);
  EXPECT_TRUE(line.granted);
}

TEST_F(LimitQueueTest, WhoWasHeldIsNeitherRefusedNorTimedOut) {
  LimitQueue queue(at_once(1), waits, refusals);
  ask(queue);
  for (int i = 0; i < 4; ++i) ask(queue);
  EXPECT_EQ(ask(queue).granted, false);  // the line is full
  Wanting& held = ask(queue, From::hold);
  clock.advance(1h);
  for (Wanting& w : all) w.waiter->wake();
  settle();
  EXPECT_FALSE(held.granted);
  EXPECT_EQ(all[1].granted, false);  // the line's time is over
  EXPECT_EQ(refusals.value(), 5U);
  end_one(queue);
  EXPECT_EQ(held.granted, true);
}

TEST_F(LimitQueueTest, AHigherLimitLetsTheWaitingGoAtOnceALowerOneInTime) {
  LimitQueue queue(at_once(1), waits, refusals);
  ask(queue);
  Wanting& second = ask(queue);
  Wanting& third = ask(queue);
  queue.configure(at_once(3));
  settle();
  EXPECT_TRUE(second.granted);
  EXPECT_TRUE(third.granted);
  EXPECT_EQ(queue.running(), 3);
  queue.configure(at_once(1));
  Wanting& fourth = ask(queue);
  end_one(queue);
  end_one(queue);
  EXPECT_FALSE(fourth.granted);
  end_one(queue);
  EXPECT_TRUE(fourth.granted);
  EXPECT_EQ(queue.running(), 1);
}

TEST_F(LimitQueueTest, OneThatIsCancelledLeavesItsPlaceToOthers) {
  LimitQueue queue(at_once(1), waits, refusals);
  ask(queue);
  Wanting& held = ask(queue, From::hold);
  Wanting& line = ask(queue);
  held.cancel.bind(held.waiter);
  held.cancel.cancel();
  settle();
  EXPECT_EQ(held.granted, false);
  end_one(queue);
  EXPECT_EQ(line.granted, true);
  EXPECT_EQ(refusals.value(), 0U);  // who leaves has not been refused
}

TEST_F(LimitQueueTest, KeepsToItsPartWhileTheClusterIsAwayAndToAllOfItElse) {
  LimitConfig limits;
  limits.concurrency = 8;
  LimitQueue queue(limits, waits, refusals);
  queue.share(LimitShare::cluster, 3);
  EXPECT_EQ(queue.limit(), 8);
  queue.share(LimitShare::part, 3);
  EXPECT_EQ(queue.limit(), 2);
  queue.share(LimitShare::part, 100);
  EXPECT_EQ(queue.limit(), 1);
  queue.share(LimitShare::own, 1);
  EXPECT_EQ(queue.limit(), 8);
}

TEST_F(LimitQueueTest, OneAnswerThatIsMissingIsNoLeaveToGoOverTheRate) {
  LimitConfig limits;
  limits.concurrency = 9;
  limits.rate = 30;
  limits.burst = 1;
  LimitQueue queue(limits, waits, refusals);
  queue.share(LimitShare::cluster, 3);
  const MonoTime now = MonoClock::now();
  EXPECT_EQ(queue.part(now, 1s).delay, Duration::zero());
  EXPECT_EQ(queue.part(now, 1s).delay, 100ms);  // ten a second are this node's part
  EXPECT_EQ(queue.part(now, 1ms).delay, std::nullopt);
  for (int i = 0; i < 4; ++i) ask(queue);
  EXPECT_TRUE(queue.part(now, 1s).full);  // four run, three are its part
}

}  // namespace
}  // namespace tanggul::shield
