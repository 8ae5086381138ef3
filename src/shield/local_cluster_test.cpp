#include "shield/local_cluster.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <thread>

#include "async/spawn.h"

namespace tanggul::shield {
namespace {

using ports::Acquired;
using Kind = ports::Acquired::Kind;
using Renewal = ports::Leases::Renewal;
using Published = ports::SharedStore::Published;

template <class T>
Task<void> keep(Task<T> task, std::optional<T>& out) {
  T value = co_await std::move(task);
  out = std::move(value);
}

class LocalClusterTest : public ::testing::Test {
 protected:
  template <class T>
  T now(Task<T> task) {
    std::optional<T> out;
    async::spawn(io_.get_executor(), "call", keep(std::move(task), out));
    io_.restart();
    io_.poll();
    return std::move(out.value());  // it never waits
  }
  Acquired acquire(std::string token, std::uint64_t known_entry = 0,
                   std::uint64_t known_failure = 0, std::string id = "x") {
    const std::string holder = "of " + token;
    return now(leases_->acquire(
        {std::move(id), std::move(token), holder, 30s, known_entry, known_failure}, patience_));
  }
  Renewal renew(std::string token) {
    return now(leases_->renew("x", std::move(token), 30s, patience_));
  }
  Published publish(std::string token, std::string bytes, bool failure = false,
                    std::string id = "x", Duration lives = 1h) {
    return now(store_->publish(
        {std::move(id), std::move(token), std::move(bytes), lives, failure, ""}, patience_));
  }
  ports::SharedCopies look(std::string id = "x") {
    auto looked = now(store_->look(std::move(id), patience_));
    EXPECT_TRUE(looked.available);
    return std::move(looked.copies);
  }

  VirtualClock clock_;
  boost::asio::io_context io_{1};
  LocalCluster cluster_{64_KiB};
  std::unique_ptr<ports::Leases> leases_ = cluster_.leases(), others_ = cluster_.leases();
  std::unique_ptr<ports::SharedStore> store_ = cluster_.store();
  ports::Patience patience_;
};

TEST_F(LocalClusterTest, OneHoldsALeaseAndTheOthersHearWhoAndForHowLong) {
  const Acquired a = acquire("a");
  ASSERT_EQ(a.kind, Kind::held);
  clock_.advance(10s);
  const Acquired b = acquire("b");
  EXPECT_EQ(b.kind, Kind::busy);
  EXPECT_EQ(b.holder, "of a");
  EXPECT_EQ(b.fence, a.fence);
  EXPECT_EQ(b.left, 20s);
  EXPECT_EQ(acquire("c", 0, 0, "another").kind, Kind::held);
}

TEST_F(LocalClusterTest, ALeaseRunsOutUnlessItIsRenewedAndFencesGrow) {
  const Acquired a = acquire("a");
  clock_.advance(29s);
  EXPECT_EQ(renew("a"), Renewal::held);
  clock_.advance(29s);
  EXPECT_EQ(acquire("b").kind, Kind::busy);
  EXPECT_EQ(renew("b"), Renewal::lost);
  clock_.advance(1s);
  EXPECT_EQ(renew("a"), Renewal::lost);
  const Acquired b = acquire("b");
  ASSERT_EQ(b.kind, Kind::held);
  EXPECT_GT(b.fence, a.fence);
  EXPECT_EQ(renew("a"), Renewal::lost);
}

TEST_F(LocalClusterTest, OnlyTheHolderReleases) {
  acquire("a");
  others_->release("x", "b");
  EXPECT_EQ(acquire("b").kind, Kind::busy);
  others_->release("x", "a");
  EXPECT_EQ(acquire("b").kind, Kind::held);
}

TEST_F(LocalClusterTest, WhatIsPublishedIsFoundBeforeTheLeaseIsTaken) {
  const Acquired a = acquire("a");
  EXPECT_EQ(publish("a", "bytes"), Published::yes);
  const Acquired b = acquire("b");
  ASSERT_EQ(b.kind, Kind::copied);
  EXPECT_EQ(b.copies.entry->bytes, "bytes");
  EXPECT_EQ(b.copies.entry->version, a.fence);
  EXPECT_FALSE(b.copies.failure);
  const Acquired c = acquire("c", a.fence);  // has seen it, and is to renew it
  ASSERT_EQ(c.kind, Kind::held);
  EXPECT_EQ(publish("c", "newer"), Published::yes);
  EXPECT_EQ(acquire("d", a.fence).copies.entry->bytes, "newer");
}

TEST_F(LocalClusterTest, AFailureLiesBesideTheEntryUntilANewEntryComes) {
  const auto first = acquire("a").fence;
  publish("a", "entry");
  acquire("b", first);
  EXPECT_EQ(publish("b", "failure", true), Published::yes);
  EXPECT_EQ(look().entry->bytes, "entry");
  const Acquired c = acquire("c", first);
  ASSERT_EQ(c.kind, Kind::copied);
  EXPECT_FALSE(c.copies.entry);  // nothing new
  EXPECT_EQ(c.copies.failure->bytes, "failure");
  ASSERT_EQ(acquire("d", first, c.copies.failure->version).kind, Kind::held);
  EXPECT_EQ(publish("d", "newer"), Published::yes);
  EXPECT_EQ(look().entry->bytes, "newer");
  EXPECT_FALSE(look().failure);
}

TEST_F(LocalClusterTest, WhoHasLostTheLeasePublishesNothing) {
  acquire("a");
  clock_.advance(30s);
  EXPECT_EQ(publish("a", "late"), Published::fenced);
  acquire("b");
  EXPECT_EQ(publish("a", "later"), Published::fenced);
  EXPECT_FALSE(look().entry);
  EXPECT_EQ(renew("b"), Renewal::held);
}

TEST_F(LocalClusterTest, HoldersAreThoseOfThisVersion) {
  const auto first = acquire("a").fence;
  now(store_->publish({"x", "a", "head", 1h, false, "http://one"}, patience_));
  store_->add_holder("x", first, "http://two");
  store_->add_holder("x", first, "http://two");
  store_->add_holder("x", first + 1, "http://three");
  EXPECT_EQ(look().holders, (std::vector<std::string>{"http://one", "http://two"}));
  store_->remove_holder("x", "http://one");
  EXPECT_EQ(acquire("b").copies.holders, (std::vector<std::string>{"http://two"}));
  acquire("c", first);
  publish("c", "another");
  EXPECT_TRUE(look().holders.empty());
}

TEST_F(LocalClusterTest, WakesWhoWatchesAtReleaseAndAtPublish) {
  const auto waiter = async::Waiter::make(io_.get_executor());
  const auto woken = [&] {
    bool before = false, after = false;
    // A wake that came ends the wait at once, in time that stands still.
    const auto wait = [](async::WaiterPtr w, bool& done) -> Task<void> {
      co_await w->wait_until(MonoClock::now() + 1h);
      done = true;
    };
    async::spawn(io_.get_executor(), "wait", wait(waiter, after));
    io_.restart();
    io_.poll();
    before = after;
    if (!after) {
      waiter->wake();
      io_.restart();
      io_.poll();
    }
    return before;
  };
  others_->watch("x", waiter);
  acquire("a");
  EXPECT_FALSE(woken());
  leases_->release("x", "a");
  EXPECT_TRUE(woken());
  acquire("b");
  publish("b", "bytes");
  EXPECT_TRUE(woken());
  acquire("c", 0, 0, "another");
  leases_->release("another", "c");
  EXPECT_FALSE(woken());
  others_->unwatch("x", waiter);
  acquire("d", look().entry->version);
  leases_->release("x", "d");
  EXPECT_FALSE(woken());
}

TEST_F(LocalClusterTest, NothingGetsThroughDuringAnOutage) {
  acquire("a");
  cluster_.simulate_outage(true);
  EXPECT_EQ(acquire("b").kind, Kind::unavailable);
  EXPECT_EQ(renew("a"), Renewal::unavailable);
  EXPECT_EQ(publish("a", "bytes"), Published::unavailable);
  EXPECT_FALSE(now(store_->look("x", patience_)).available);
  leases_->release("x", "a");
  cluster_.simulate_outage(false);
  EXPECT_EQ(renew("a"), Renewal::held);
  EXPECT_FALSE(look().entry);
}

TEST_F(LocalClusterTest, KeepsNothingOfWhatHasRunOut) {
  for (int i = 0; i < 1000; ++i) acquire("a", 0, 0, std::to_string(i));
  for (int i = 0; i < 100; ++i) publish("a", "bytes", i % 2 == 0, std::to_string(i), 10s);
  EXPECT_EQ(cluster_.ids(), 1000U);
  clock_.advance(10s);
  acquire("b", 0, 0, "0");
  EXPECT_EQ(cluster_.ids(), 901U);
  EXPECT_EQ(cluster_.copy_bytes(), 0U);
  clock_.advance(30s);
  EXPECT_FALSE(look().entry);
  EXPECT_EQ(cluster_.ids(), 0U);
}

TEST_F(LocalClusterTest, WhatDiesFirstGivesWayAndLeasesStay) {
  acquire("a", 0, 0, "held");
  for (int i = 0; i < 10; ++i) {
    const std::string id = std::to_string(i);
    acquire("a", 0, 0, id);
    EXPECT_EQ(publish("a", std::string(10'000, 'b'), false, id, 1h * (10 - i)), Published::yes);
    EXPECT_LE(cluster_.copy_bytes(), 64_KiB);
  }
  EXPECT_TRUE(look("0").entry);
  EXPECT_FALSE(look("9").entry);
  EXPECT_EQ(acquire("b", 0, 0, "held").kind, Kind::busy);
}

TEST(LocalCluster, OfManyThreadsOneHoldsAtATime) {
  LocalCluster cluster;
  std::atomic<int> holding{0}, most{0}, held{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      boost::asio::io_context io(1);
      const auto leases = cluster.leases();
      ports::Patience patience;
      for (int i = 0; i < 500; ++i) {
        std::optional<Acquired> got;
        const std::string token = std::to_string(t);
        async::spawn(io.get_executor(), "acquire",
                     keep(leases->acquire({"x", token, "", 1h, 0, 0}, patience), got));
        io.restart();
        io.poll();
        if (got->kind != Kind::held) continue;
        ++held;
        most = std::max(most.load(), ++holding);
        --holding;
        leases->release("x", token);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_GT(held, 0);
}

}  // namespace
}  // namespace tanggul::shield
