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
  LimitShare by{};
};

Task<void> want(LimitQueue& queue, Wanting& w, From from) {
  const auto place = co_await queue.acquire(w.client, w.waiter, w.cancel, from);
  w.granted = place.has_value();
  if (place) w.by = *place;
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
  using Asking = std::unique_ptr<LimitQueue::Asking>;
  Asking asking(LimitQueue& queue) {
    const Wanting& w = ask(queue);
    EXPECT_TRUE(w.granted);
    return std::make_unique<LimitQueue::Asking>(queue, w.waiter, w.by);
  }
  static Task<void> wait(async::WaiterPtr waiter, bool& woken) {
    co_await waiter->wait_until(kForever);
    woken = true;
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
  Asking a = asking(queue), b = asking(queue), c = asking(queue);
  const MonoTime now = MonoClock::now();
  EXPECT_EQ(queue.part(*a, now, 1s).delay, Duration::zero());
  EXPECT_EQ(queue.part(*b, now, 1ms).delay, std::nullopt);
  EXPECT_EQ(queue.part(*b, now, 1s).delay, 100ms);  // ten a second are this node's part
  // Also when it is known by then that nobody can be asked: it was let in without a look at it.
  queue.share(LimitShare::part, 3);
  EXPECT_EQ(queue.part(*c, now, 1s).delay, 200ms);
}

TEST_F(LimitQueueTest, WhoWaitsForTheClustersWordAsItGoesAwayGoesWithinThePart) {
  LimitConfig limits;
  limits.concurrency = 9;
  LimitQueue queue(limits, waits, refusals);
  queue.share(LimitShare::cluster, 3);
  std::vector<Asking> some;
  for (int i = 0; i < 9; ++i) some.push_back(asking(queue));
  EXPECT_EQ(queue.running(), 0);
  EXPECT_EQ(queue.queued(), 9U);
  some[0]->go();  // with the cluster's leave
  EXPECT_EQ(queue.running(), 1);
  const MonoTime now = MonoClock::now();
  const auto go = [&](std::size_t i) { return !queue.part(*some[i], now, 1s).full; };
  EXPECT_TRUE(go(1));
  queue.share(LimitShare::part, 3);
  EXPECT_TRUE(go(2));
  for (std::size_t i = 3; i < 9; ++i) EXPECT_FALSE(go(i)) << i;
  some[0].reset();
  end_one(queue);
  EXPECT_TRUE(go(3));
  for (std::size_t i = 4; i < 9; ++i) EXPECT_FALSE(go(i)) << i;
  some[4].reset();  // it leaves without having been there
  end_one(queue);
  for (std::size_t i = 5; i < 9; ++i) EXPECT_FALSE(go(i)) << i;
}

TEST_F(LimitQueueTest, WhoWaitsForThePartHearsOfAnEnd) {
  LimitQueue queue(at_once(2), waits, refusals);
  queue.share(LimitShare::cluster, 2);
  const Asking first = asking(queue), second = asking(queue);
  EXPECT_FALSE(queue.part(*first, MonoClock::now(), 1s).full);
  EXPECT_TRUE(queue.part(*second, MonoClock::now(), 1s).full);
  bool woken = false;
  async::spawn(io.get_executor(), "wait", wait(all.back().waiter, woken));
  settle();
  EXPECT_FALSE(woken);
  end_one(queue);
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace tanggul::shield
