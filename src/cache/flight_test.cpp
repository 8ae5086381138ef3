#include "cache/flight.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "async/spawn.h"
#include "cache/flight_table.h"

namespace tanggul::cache {
namespace {

namespace asio = boost::asio;

const std::string kDirectory = std::filesystem::temp_directory_path().string();

EntryPtr entry_of(std::string body) {
  auto e = std::make_shared<Entry>();
  e->status = 200;
  e->forms.push_back({"", "", std::make_shared<const std::string>(std::move(body)), ""});
  encode_heads(*e);
  return e;
}

Failure failure_of(Errc code) {
  Failure f;
  f.code = code;
  return f;
}

// Waits until the flight has ended or the deadline is over, as a caller does.
Task<void> follow(FlightPtr flight, async::WaiterPtr waiter, MonoTime deadline,
                  Flight::View& last) {
  for (;;) {
    last = flight->view();
    if (last.phase == Flight::Phase::landed || last.phase == Flight::Phase::failed) break;
    if (MonoClock::now() >= deadline) break;
    if (flight->watch(last, waiter)) co_await waiter->wait_until(deadline);
  }
  flight->unwatch(waiter);
  flight->detach();
}

struct Watcher {
  Flight::View last;
  void start(asio::io_context& io, FlightPtr flight, MonoTime deadline = kForever) {
    async::spawn(io.get_executor(), "follow",
                 follow(std::move(flight), async::Waiter::make(io.get_executor()), deadline, last));
  }
};

TEST(FlightTable, GivesOneFlightToAllAndOneLeader) {
  FlightTable table;
  const auto a = table.join("k", kDirectory), b = table.join("k", kDirectory);
  EXPECT_TRUE(a.leader);
  EXPECT_FALSE(b.leader);
  EXPECT_EQ(a.flight, b.flight);
  EXPECT_TRUE(table.join("other", kDirectory).leader);
}

TEST(FlightTable, AFlightThatFailsIsNotJoined) {
  FlightTable table;
  const auto a = table.join("k", kDirectory);
  a.flight->fail(failure_of(Errc::reset));
  const auto b = table.join("k", kDirectory);
  EXPECT_TRUE(b.leader);
  EXPECT_NE(a.flight, b.flight);
}

TEST(FlightTable, AFlightThatWasGivenUpIsNotJoined) {
  FlightTable table;
  const auto a = table.join("k", kDirectory);
  a.flight->set_cacheable(false);
  EXPECT_FALSE(a.flight->cancellation().cancelled());
  a.flight->detach();
  EXPECT_TRUE(a.flight->cancellation().cancelled());
  EXPECT_TRUE(table.join("k", kDirectory).leader);
}

TEST(FlightTable, ACacheableFlightGoesOnWhenAllHaveLeft) {
  FlightTable table;
  const auto a = table.join("k", kDirectory);
  a.flight->detach();
  EXPECT_FALSE(a.flight->cancellation().cancelled());
  EXPECT_FALSE(table.join("k", kDirectory).leader);
}

TEST(FlightTable, FinishingNeverRemovesASuccessor) {
  FlightTable table;
  const auto first = table.join("k", kDirectory);
  table.forget("k");
  const auto second = table.join("k", kDirectory);
  EXPECT_TRUE(second.leader);
  first.flight->land(entry_of("old"), {});
  table.remove(first.flight);
  EXPECT_EQ(table.find("k"), second.flight);
  EXPECT_EQ(first.flight->view().phase, Flight::Phase::landed);  // undisturbed by forget()
  table.remove(second.flight);
  EXPECT_EQ(table.size(), 0U);
}

TEST(FlightTable, IsEmptyAfterAStormOfUniqueKeys) {
  FlightTable table;
  for (int i = 0; i < 50'000; ++i) {
    const auto joined = table.join("k" + std::to_string(i), kDirectory);
    ASSERT_TRUE(joined.leader);
    joined.flight->land(entry_of(""), {});
    table.remove(joined.flight);
    joined.flight->detach();
  }
  EXPECT_EQ(table.size(), 0U);
}

TEST(Flight, OneFailureReachesEveryWaiterOnce) {
  asio::io_context io(1);
  FlightTable table;
  std::vector<Watcher> watchers(100);
  FlightPtr flight;
  for (auto& w : watchers) {
    flight = table.join("k", kDirectory).flight;
    w.start(io, flight);
  }
  io.poll();
  EXPECT_EQ(flight->callers(), 100U);
  flight->fail(failure_of(Errc::truncated));
  flight->land(entry_of("late"), {});  // the first terminal state stays
  io.restart();
  io.run();
  for (const auto& w : watchers) {
    ASSERT_EQ(w.last.phase, Flight::Phase::failed);
    EXPECT_EQ(w.last.failure->code, Errc::truncated);
  }
  EXPECT_EQ(flight->callers(), 0U);
}

TEST(Flight, EveryCallerHasItsOwnDeadline) {
  VirtualClock clock;
  asio::io_context io(1);
  FlightTable table;
  Watcher hasty, patient;
  hasty.start(io, table.join("k", kDirectory).flight, clock.now().mono + 1s);
  patient.start(io, table.join("k", kDirectory).flight, clock.now().mono + 1h);
  io.poll();
  clock.advance(1s);
  io.restart();
  io.poll();
  const FlightPtr flight = table.find("k");
  EXPECT_EQ(hasty.last.phase, Flight::Phase::fetching);
  EXPECT_EQ(flight->callers(), 1U);
  flight->land(entry_of("x"), {});
  io.restart();
  io.poll();
  EXPECT_EQ(patient.last.phase, Flight::Phase::landed);
}

TEST(Flight, ReadersOfAVerifiedBodyAreKeptOneByteBehind) {
  Flight flight("k", kDirectory);
  OpenHead head;
  head.status = 200;
  head.hold_last_byte = true;
  flight.open(head, {});
  EXPECT_EQ(flight.view().readable, 0U);
  ASSERT_TRUE(flight.spool().append("hello"));
  EXPECT_EQ(flight.view().readable, 4U);
  flight.land(entry_of("hello"), {});
  EXPECT_EQ(flight.view().readable, 5U);
}

TEST(Flight, AReaderIsNotPutToSleepOverBytesThatCameMeanwhile) {
  asio::io_context io(1);
  Flight flight("k", kDirectory);
  flight.open({}, {});
  const auto before = flight.view();
  ASSERT_TRUE(flight.spool().append("x"));
  EXPECT_FALSE(flight.watch(before, async::Waiter::make(io.get_executor())));
}

TEST(Flight, LandsOnWaitersOfSeveralThreads) {
  for (int round = 0; round < 20; ++round) {
    FlightTable table;
    asio::io_context one(1), two(1);
    std::vector<Watcher> watchers(60);
    FlightPtr flight = table.join("k", kDirectory).flight;
    for (std::size_t i = 0; i < watchers.size(); ++i)
      watchers[i].start(i % 2 == 0 ? one : two, table.join("k", kDirectory).flight);
    std::thread a([&] { one.run(); }), b([&] { two.run(); });
    flight->open({}, {});
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(flight->spool().append("0123456789"));
      flight->progress();
    }
    flight->land(entry_of("whole"), {});
    table.remove(flight);
    a.join();
    b.join();
    for (const auto& w : watchers) ASSERT_EQ(w.last.phase, Flight::Phase::landed);
    flight->detach();
    EXPECT_EQ(flight->callers(), 0U);
  }
}

TEST(Flight, AHeldOneIsCancelledWhenItsLastCallerLeavesThoughItIsCacheable) {
  Flight flight("k", "/tmp");
  flight.attach();
  flight.set_held(true);
  EXPECT_TRUE(flight.view().held);
  EXPECT_FALSE(flight.cancellation().cancelled());
  flight.detach();
  EXPECT_TRUE(flight.cancellation().cancelled());
  EXPECT_FALSE(flight.attach());  // who comes now starts anew
}

TEST(Flight, OneThatNobodyWaitsForIsCancelledWhenItWouldBeHeld) {
  Flight flight("k", "/tmp");
  flight.set_held(true);
  EXPECT_TRUE(flight.cancellation().cancelled());
}

TEST(Flight, OneThatIsHeldNoLongerGoesOnWithoutCallers) {
  Flight flight("k", "/tmp");
  flight.attach();
  flight.set_held(true);
  flight.set_held(false);
  flight.detach();
  EXPECT_FALSE(flight.cancellation().cancelled());
}

// A flight whose disk has taken nothing: all but the beginning goes through the window.
class WindowedFlight : public testing::Test {
 protected:
  WindowedFlight() {
    for (int i = 0; i < 3; ++i) flight.attach(), flight.begin_reading(&reader[i]);
    flight.open({}, {});
    // The memory of a spool, and then no directory for its file.
    while (flight.spool().append(piece)) flight.progress();
    flight.open_window();
  }
  bool room(Duration after = 0s) {
    now += after;
    return flight.window_has_room(now, 10s, 1000);
  }
  void fill() {
    while (room()) ASSERT_TRUE(flight.spool().append(piece));
  }
  std::string read(int who, ByteCount at) {
    flight.read_on(&reader[who], at);
    return std::string(flight.spool().at(at, 10).memory);
  }

  Flight flight{"k", "/nowhere/at/all"};
  const std::string piece = std::string(64_KiB, 'x');
  int reader[3] = {};
  MonoTime now = MonoTime(1h);
};

TEST_F(WindowedFlight, HoldsNoMoreThanTheWindowAndGoesOnAsTheyRead) {
  fill();
  const ByteCount full = flight.spool().size();
  EXPECT_LE(flight.spool().window()->held(), 4_MiB);
  for (int who : {0, 1}) read(who, full);
  EXPECT_FALSE(room());
  read(2, full - 1_MiB);
  EXPECT_TRUE(room());
  EXPECT_FALSE(flight.whole());
  EXPECT_EQ(flight.spool().at(full - 2_MiB, 10).size, 0U);  // has been given up
  EXPECT_EQ(read(2, full - 1_MiB), std::string(10, 'x'));
  EXPECT_FALSE(flight.spool().bytes());
  EXPECT_EQ(flight.spool().file(), nullptr);
}

TEST_F(WindowedFlight, TakesNoNewcomersAndIsCancelledWhenAllHaveLeft) {
  EXPECT_FALSE(flight.attach());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(flight.cancellation().cancelled());
    flight.end_reading(&reader[i]);
    flight.detach();
  }
  EXPECT_TRUE(flight.cancellation().cancelled());
}

TEST_F(WindowedFlight, WaitsForWhoKeepsTheRateAndNotForWhoDoesNot) {
  fill();
  const ByteCount full = flight.spool().size();
  for (int who : {0, 1}) read(who, full);
  ByteCount at = 100'000;
  for (int i = 0; i < 10; ++i) {  // slow, but as fast as it must be
    read(2, at += 10'000);
    EXPECT_FALSE(room(10s)) << i;
  }
  EXPECT_FALSE(room(9s));
  EXPECT_TRUE(room(1s));
  for (int who : {0, 1}) EXPECT_EQ(flight.read_on(&reader[who], full).readable, full);
  fill();
  EXPECT_EQ(flight.spool().at(flight.spool().window()->begin(), 10).size, 0U);
}

TEST_F(WindowedFlight, KeepsTheBeginningForWhoHasNotBegunToRead) {
  flight.end_reading(&reader[2]);  // as if it were about to
  fill();
  for (int who : {0, 1}) read(who, flight.spool().size());
  EXPECT_FALSE(room(100s));
  EXPECT_TRUE(flight.whole());
}

}  // namespace
}  // namespace tanggul::cache
