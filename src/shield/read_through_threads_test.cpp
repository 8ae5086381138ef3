#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tanggul/shield/read_through.h"

namespace tanggul {
namespace {

namespace asio = boost::asio;
using Cache = ReadThrough<int, std::string>;

asio::awaitable<std::optional<std::string>> load(int key) {
  co_await read_through::sleep_until<asio::any_io_executor>(MonoClock::now() + 50us);
  if (key == 3) throw std::runtime_error("no database");
  co_return std::to_string(key);
}

asio::awaitable<void> ask(Cache* cache, int times, std::atomic<int>* answered) {
  for (int i = 0; i < times; ++i) {
    const auto got = co_await cache->get(i % 8, MonoClock::now() + 10s);
    EXPECT_TRUE(i % 8 == 3 || (got && *got == std::to_string(i % 8)));
    if (i % 50 == 0) cache->forget(i % 8);
    ++*answered;
  }
}

// One cache, its loads on one thread, its callers on three more.
TEST(ReadThroughThreads, IsAskedFromManyAtOnce) {
  constexpr int kThreads = 3, kCallers = 8, kTimes = 200;
  asio::io_context loads(1);
  auto keep = asio::make_work_guard(loads);
  std::thread loader([&] { loads.run(); });
  std::atomic<int> answered{0};
  ReadThroughConfig config;
  config.breaker.min_requests = 1'000'000;
  config.ttl = 1ms;
  const auto one = [](int key, MonoTime) { return load(key); };
  Cache cache(loads.get_executor(), one, config);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      asio::io_context io(1);
      for (int i = 0; i < kCallers; ++i)
        asio::co_spawn(io, ask(&cache, kTimes, &answered), [](std::exception_ptr) {});
      io.run();
    });
  }
  for (auto& thread : threads) thread.join();
  keep.reset();
  loader.join();
  EXPECT_EQ(answered, kThreads * kCallers * kTimes);
  EXPECT_EQ(cache.figures().in_flight, 0U);
  EXPECT_EQ(cache.figures().running, 0U);
}

}  // namespace
}  // namespace tanggul
