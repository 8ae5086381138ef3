#include "shield/read_through_for_test.h"

// What stands between the loads and the database.
namespace tanggul::shield {
namespace {

using Guarded = ReadThroughTest;

TEST_F(Guarded, ALoadThatHangsIsCancelledAtItsDeadlineAndAllAreTold) {
  make();
  takes = 1h;
  for (int i = 0; i < 10; ++i) call(1);
  pass(3s);
  for (const Call& c : calls) {
    ASSERT_TRUE(c.got);
    EXPECT_EQ(c.got->error, ReadError::too_slow);
  }
  EXPECT_EQ(cache->figures().in_flight, 0U);
  poll();
  EXPECT_EQ(cache->figures().running, 0U);  // it has heard of its cancellation
}

// One that hears of no cancellation.
boost::asio::awaitable<std::optional<std::string>> deaf(int* running) {
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  ++*running;
  const MonoTime until = MonoClock::now() + 1h;
  co_await read_through::sleep_until<boost::asio::any_io_executor>(until);
  --*running;
  co_return "late";
}

TEST_F(Guarded, LoadersThatCannotBeCancelledKeepTheirPlacesAndNoMoreAreStarted) {
  ReadThroughConfig config;
  config.concurrency.concurrency = 4;
  config.breaker.min_requests = 1000;
  int running = 0;
  const auto load = [&](int, MonoTime) { return deaf(&running); };
  cache.emplace(io.get_executor(), load, config);
  for (int i = 0; i < 20; ++i) call(i);
  pass(3s);
  EXPECT_EQ(running, 4);
  for (int i = 20; i < 40; ++i) call(i);
  pass(3s);
  EXPECT_EQ(running, 4);
  int limited = 0;
  for (const Call& c : calls) limited += c.got && c.got->error == ReadError::limit ? 1 : 0;
  EXPECT_EQ(limited, 36);
  EXPECT_EQ(cache->figures().in_flight, 0U);
  pass(1h);
  EXPECT_EQ(running, 0);
  EXPECT_EQ(cache->figures().running, 0U);
}

TEST_F(Guarded, TheBreakerKeepsLoadsAwayFromADatabaseThatFails) {
  make();
  takes = 0s;
  fails = true;
  for (int i = 0; i < 100; ++i) call(i);
  EXPECT_EQ(queries, 20);
  EXPECT_EQ(calls.back().got->error, ReadError::open);
  EXPECT_GT(calls.back().got->retry_after, 0s);
  EXPECT_EQ(cache->figures().breaker, policy::BreakerState::open);
  EXPECT_EQ(cache->figures().refused_open, 80U);
  fails = false;
  pass(15s);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(*call(i).got) << i;
  EXPECT_EQ(cache->figures().breaker, policy::BreakerState::closed);
}

TEST_F(Guarded, NoMoreLoadAtOnceThanTheLimitAndTheOthersWaitInTurn) {
  ReadThroughConfig config;
  config.concurrency.concurrency = 8;
  make(config);
  for (int i = 0; i < 20; ++i) call(i);
  EXPECT_EQ(cache->figures().queued, 12U);
  for (int rounds = 0; rounds < 3; ++rounds) pass(takes);
  for (const Call& c : calls) EXPECT_TRUE(c.got && *c.got);
  EXPECT_EQ(most_at_once, 8);
  EXPECT_EQ(cache->figures().running, 0U);
}

TEST_F(Guarded, AFullQueueRefusesAtOnce) {
  ReadThroughConfig config;
  config.concurrency.concurrency = 1;
  config.queue = 2;
  make(config);
  for (int i = 0; i < 5; ++i) call(i);
  EXPECT_FALSE(calls[2].got);
  EXPECT_EQ(calls[3].got->error, ReadError::limit);
  EXPECT_EQ(calls[4].got->error, ReadError::limit);
}

TEST_F(Guarded, KeepsToItsRate) {
  ReadThroughConfig config;
  config.rate = 10;
  config.burst = 2;
  make(config);
  takes = 0s;
  for (int i = 0; i < 20; ++i) call(i);
  EXPECT_EQ(queries, 2);
  for (int i = 0; i < 10; ++i) pass(100ms);
  EXPECT_EQ(queries, 12);
}

TEST_F(Guarded, RetriesWithinItsDeadlineWhereConfigured) {
  ReadThroughConfig config;
  config.retry.attempts = 3;
  make(config);
  takes = 0s;
  fails = true;
  Call& tried = call(1);
  for (int i = 0; i < 100 && !tried.got; ++i) pass(10ms);
  ASSERT_TRUE(tried.got);
  EXPECT_EQ(tried.got->error, ReadError::failed);
  EXPECT_EQ(queries, 3);
  EXPECT_EQ(cache->figures().retries, 2U);
}

TEST_F(Guarded, ADestroyedContextLeavesNothingBehind) {
  ReadThroughConfig config;
  config.concurrency.concurrency = 1;
  boost::asio::io_context gone(1);
  make(config);
  for (int i = 0; i < 3; ++i) call(i);
  cache.reset();
}  // the calls, the load and the queue go with io: a leak or a use after it is AddressSanitizer's

}  // namespace
}  // namespace tanggul::shield
