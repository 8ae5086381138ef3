#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>

#include "tanggul/shield/read_through.h"

namespace tanggul::shield {

// A ReadThrough before a database of the test's, all in virtual time on one thread.
class ReadThroughTest : public testing::Test {
 public:
  using Cache = ReadThrough<int, std::string>;
  using Got = Reading<std::string>;

  // A call's answer, once it is there.
  struct Call {
    std::optional<Got> got;
    std::string value() const { return got && got->value ? *got->value : "(none)"; }
  };

  void make(ReadThroughConfig config = {}, Cache::Weigher weigher = nullptr) {
    cache.emplace(
        io.get_executor(), [this](int key, MonoTime) { return query(this, key); }, config,
        std::move(weigher), Rng(7));
  }

  Call& call(int key, Duration patience = 1h) {
    Call& made = calls.emplace_back();
    boost::asio::co_spawn(io, cache->get(key, clock.now().mono + patience),
                          [&made](std::exception_ptr e, Got got) {
                            EXPECT_FALSE(e);
                            made.got = std::move(got);
                          });
    poll();
    return made;
  }
  // A call whose answer is there when the query's time has passed.
  Got get(int key) {
    Call& made = call(key);
    if (!made.got) pass(takes);
    EXPECT_TRUE(made.got.has_value());
    return made.got.value_or(Got{});
  }
  void pass(Duration d) {
    clock.advance(d);
    poll();
  }
  void poll() {
    io.restart();
    io.poll();
  }

  static boost::asio::awaitable<std::optional<std::string>> query(ReadThroughTest* test, int key) {
    const int number = ++test->queries;
    ++test->at_once;
    test->most_at_once = std::max(test->most_at_once, test->at_once);
    const MonoTime until = MonoClock::now() + test->takes;
    co_await read_through::sleep_until<boost::asio::any_io_executor>(until);
    --test->at_once;
    if (test->fails) throw std::runtime_error("no database");
    if (key < 0) co_return std::nullopt;
    co_return "v" + std::to_string(number);
  }

  VirtualClock clock;
  boost::asio::io_context io{1};
  int queries = 0, at_once = 0, most_at_once = 0;
  Duration takes = 300ms;
  bool fails = false;
  std::optional<Cache> cache;
  std::deque<Call> calls;
};

}  // namespace tanggul::shield
