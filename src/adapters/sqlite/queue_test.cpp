#include "adapters/sqlite/queue.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <filesystem>
#include <set>

#include "adapters/sqlite/session.h"
#include "conformance/queue_conformance.h"
#include "support/temp_dir.h"

namespace tanggul::test {
namespace {

class Folder final : public QueuePlace {
 public:
  std::unique_ptr<ports::Queue> open() override {
    return std::move(sqlite::open_queue({.file = dir_.file("queue.db")})).value();
  }

 private:
  const TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(Engine, QueueConformance,
                         testing::Values(QueueEngine{
                             .name = "Sqlite",
                             .unique_keys = true,
                             .deliveries = 20,
                             .make_place = [] { return std::make_unique<Folder>(); }}),
                         name_of_engine);

}  // namespace
}  // namespace tanggul::test

namespace tanggul::sqlite {
namespace {

using ports::Claim;
using ports::Job;
using ports::Queue;
using Held = Queue::Held;
using Kind = ports::Settlement::Kind;

void execute(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_free(error);
  sqlite3_close(database);
}

class SqliteQueue : public testing::Test {
 protected:
  std::unique_ptr<Queue> open(QueueConfig config = {}) const {
    config.file = file_;
    return std::move(open_queue(config)).value();
  }
  Failure refusal() const { return open_queue({.file = file_}).error(); }

  static Job job(const std::string& key) { return {.key = key, .body = "body"}; }
  static void put(Queue& queue, const std::string& key) {
    queue.enqueue("q", job(key), wall_now()).value();
  }
  static std::optional<Claim> look(Queue& queue, Duration lease = 1min) {
    return queue.claim("q", lease, 0s).value();
  }
  // What is still there, each once; all of it is taken.
  static std::set<std::string> drained(Queue& queue) {
    std::set<std::string> keys;
    while (const auto claim = queue.claim("q", 1h, 0s).value())
      EXPECT_TRUE(keys.insert(claim->job.key).second) << claim->job.key;
    return keys;
  }

  const test::TempDir dir_;
  const std::string file_ = dir_.file("queue.db");
};

TEST_F(SqliteQueue, AClaimThatLapsedIsHeldUntilAnotherTakesIt) {
  VirtualClock clock;
  const auto queue = open();
  put(*queue, "a");
  const Claim claim = look(*queue, 10s).value();
  clock.advance(1h);
  EXPECT_EQ(queue->figures("q").value().ready, 1U);
  EXPECT_EQ(queue->renew(claim, 10s).value(), Held::yes);
  EXPECT_EQ(queue->figures("q").value().claimed, 1U);
  clock.advance(1h);
  EXPECT_EQ(queue->settle(claim, {}).value(), Held::yes);
  EXPECT_FALSE(look(*queue));
}

TEST_F(SqliteQueue, TheLagOfALapsedClaimIsSinceItsLeaseEnded) {
  VirtualClock clock;
  const auto queue = open();
  put(*queue, "a");
  ASSERT_TRUE(look(*queue, 10s));
  clock.advance(70s);
  EXPECT_EQ(queue->figures("q").value().lag, 60s);
}

TEST_F(SqliteQueue, WhatLapsedStandsBehindWhatWasDueBefore) {
  VirtualClock clock;
  const auto queue = open();
  put(*queue, "slow");
  ASSERT_TRUE(look(*queue, 10s));
  clock.advance(5s);
  put(*queue, "early");
  clock.advance(10s);
  put(*queue, "late");
  std::string order;
  while (const auto claim = look(*queue)) order += claim->job.key + " ";
  EXPECT_EQ(order, "early slow late ");
}

TEST_F(SqliteQueue, ParkedIsNotClaimedAMicrosecondTooEarly) {
  VirtualClock clock;
  const auto queue = open();
  queue->enqueue("q", job("a"), wall_now() + 1h).value();
  clock.advance(1h - 1us);
  EXPECT_FALSE(look(*queue));
  clock.advance(1us);
  EXPECT_TRUE(look(*queue));
}

TEST_F(SqliteQueue, TimesAtEitherEndOfTheClockAreTimes) {
  const auto queue = open();
  queue->enqueue("q", job("first"), WallTime::min()).value();
  queue->enqueue("q", job("never"), WallTime::max()).value();
  EXPECT_GT(queue->figures("q").value().lag, 50 * 365 * 24h);
  const Claim claim = queue->claim("q", Duration::max(), Duration::max()).value().value();
  EXPECT_EQ(claim.job.key, "first");
  EXPECT_EQ(queue->renew(claim, Duration::min()).value(), Held::yes);
  EXPECT_EQ(queue->figures("q").value().parked, 1U);
}

TEST_F(SqliteQueue, OfTheDeadTheOldestAreDropped) {
  const auto queue = open({.most_dead = 3});
  for (const char* key : {"a", "b", "c", "d", "b"}) {
    put(*queue, key);
    const Claim claim = look(*queue).value();
    EXPECT_EQ(queue->settle(claim, {.kind = Kind::dead, .job = claim.job}).value(), Held::yes);
  }
  std::string order;
  for (const Job& each : queue->dead("q", 10).value()) order += each.key;
  EXPECT_EQ(order, "bdc");
}

TEST_F(SqliteQueue, ManyAreTakenBackInBatches) {
  const auto queue = open();
  for (int i = 0; i < 250; ++i) {
    put(*queue, std::to_string(i));
    const Claim claim = look(*queue).value();
    (void)queue->settle(claim, {.kind = Kind::dead, .job = claim.job}).value();
  }
  // Under no lock: it may use the queue.
  const auto choose = [&](Job& each) {
    return each.key != "7" && queue->figures("q").value().claimed == 0;
  };
  EXPECT_EQ(queue->revive("q", choose).value(), 249U);
  EXPECT_EQ(drained(*queue).size(), 249U);
  EXPECT_EQ(queue->figures("q").value().dead, 1U);
}

TEST_F(SqliteQueue, WhatIsBusyTooLongIsStalled) {
  const auto queue = open({.busy = 50ms});
  const auto other = std::move(open_session({file_})).value();
  other
      ->transaction([&]() -> Expected<void> {
        EXPECT_EQ(queue->enqueue("q", job("a"), wall_now()).error().code, Errc::stalled);
        EXPECT_FALSE(queue->claim("q", 1min, 0s).value());  // to look takes no lock
        return {};
      })
      .value();
}

TEST_F(SqliteQueue, WhatIsNoFileOfQueuesIsRefused) {
  dir_.write("queue.db", std::string(10'000, 'x'));
  EXPECT_EQ(refusal().code, Errc::refused);
  std::filesystem::remove(file_);
  execute(file_, "CREATE TABLE products(id)");
  EXPECT_EQ(refusal().code, Errc::refused);
  EXPECT_EQ(refusal().detail, file_ + ": it is a database of something else");
  EXPECT_EQ(open_queue({.file = dir_.file("no/queue.db")}).error().code, Errc::refused);
}

TEST_F(SqliteQueue, AFileOfANewerFormatIsRefused) {
  put(*open(), "a");
  execute(file_, "PRAGMA user_version = 2");
  EXPECT_EQ(refusal().code, Errc::refused);
  EXPECT_EQ(refusal().detail,
            file_ + ": a newer version wrote it (format 2, and this one knows up to 1)");
  execute(file_, "PRAGMA user_version = 1");
  EXPECT_TRUE(look(*open()));
}

TEST_F(SqliteQueue, AFileThatIsBrokenIsAnError) {
  {
    const auto queue = open();
    for (int i = 0; i < 500; ++i) put(*queue, std::to_string(i));
  }
  const auto size = std::filesystem::file_size(file_);
  ASSERT_GT(size, 3 * 4096U);
  std::string bytes = test::read_file(file_);
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  dir_.write("queue.db", bytes);
  auto queue = open_queue({.file = file_});
  if (!queue) return;
  const auto claim = (*queue)->claim("q", 1min, 0s);
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().code, Errc::io);
  EXPECT_EQ((*queue)->enqueue("q", job("a"), wall_now()).error().code, Errc::io);
}

TEST_F(SqliteQueue, NothingIsAcknowledgedIntoAFileThatIsGone) {
  const auto queue = open();
  put(*queue, "a");
  const Claim claim = look(*queue).value();
  std::filesystem::remove(file_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(queue->enqueue("q", job("b" + std::to_string(i)), wall_now()).error().code, Errc::io);
    EXPECT_EQ(queue->claim("q", 1min, 0s).error().code, Errc::io);
    EXPECT_EQ(queue->settle(claim, {.kind = Kind::dead, .job = claim.job}).error().code, Errc::io);
    dir_.write("queue.db", "");
  }
}

TEST_F(SqliteQueue, ManyProcessesMayOpenANewFileAtOnce) {
  std::vector<std::unique_ptr<test::Forked>> processes;
  for (int i = 0; i < 8; ++i)
    processes.push_back(std::make_unique<test::Forked>(
        [&, i](const test::Forked::Voice&) { put(*open(), std::to_string(i)); }));
  for (const auto& process : processes) {
    EXPECT_EQ(process->rest(), "");
    EXPECT_EQ(process->wait(), 0);
  }
  EXPECT_EQ(drained(*open()).size(), 8U);
}

TEST_F(SqliteQueue, AFullDiskLosesNothingThatWasAcknowledged) {
  test::Forked writer([&](const test::Forked::Voice& voice) {
    const auto queue = open();
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Job large = job("");
    large.body.assign(2000, 'x');
    for (int i = 0; i < 10'000; ++i) {
      large.key = std::to_string(i);
      const auto enqueued = queue->enqueue("q", large, wall_now());
      if (!enqueued) {
        voice.say(enqueued.error().code == Errc::io ? "full" : enqueued.error().detail);
        // It still works where nothing has to grow, or says that it does not.
        const auto claim = queue->claim("q", 1ms, 0s);
        voice.say(claim || claim.error().code == Errc::io ? "end" : claim.error().detail);
        return;
      }
      voice.say("+" + large.key);
    }
  });
  const std::string said = writer.rest();
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_NE(said.find("full\nend\n"), std::string::npos) << said.substr(said.size() - 200);
  std::set<std::string> acknowledged;
  for (std::size_t at = 0; (at = said.find('+', at)) != std::string::npos; ++at)
    acknowledged.insert(said.substr(at + 1, said.find('\n', at) - at - 1));
  EXPECT_GT(acknowledged.size(), 10U);
  const auto queue = open();
  EXPECT_EQ(queue->figures("q").value().claimed, 0U);
  EXPECT_EQ(drained(*queue), acknowledged);
}

// Workers that are killed in the midst of everything, over and over. What each acknowledges is
// written to a pipe afterwards: of the last step alone nobody knows whether it was done.
class KilledWorkers : public SqliteQueue {
 protected:
  static constexpr int kRounds = 20;

  void work(int round, const test::Forked::Voice& voice) const {
    const auto queue = open({.deliveries = 1'000'000});
    for (int i = 0;; ++i) {
      const std::string key = std::to_string(round) + "." + std::to_string(i);
      put(*queue, key);
      voice.say("+" + key);
      const auto claim = look(*queue, 1us);
      if (!claim || i % 3 == 0) continue;  // some are left to lapse
      if (i % 3 == 1) {
        const ports::Settlement on{.kind = Kind::handed_on, .job = claim->job, .queue = "other"};
        (void)queue->settle(*claim, on).value();
      } else if (queue->settle(*claim, {}).value() == Held::yes) {
        voice.say("-" + claim->job.key);
      }
    }
  }

  // Those that stand behind `sign`.
  static void gather(const std::string& said, char sign, std::multiset<std::string>& into) {
    for (std::size_t at = 0, end = 0; (end = said.find('\n', at)) != std::string::npos;
         at = end + 1)
      if (said[at] == sign) into.insert(said.substr(at + 1, end - at - 1));
  }
};

TEST_F(KilledWorkers, LoseNothingAndDoubleNothing) {
  std::multiset<std::string> added, done;
  std::size_t unsure = 0;
  for (int round = 0; round < kRounds; ++round) {
    test::Forked one([&](const auto& voice) { work(2 * round, voice); });
    test::Forked two([&](const auto& voice) { work(2 * round + 1, voice); });
    for (test::Forked* worker : {&one, &two}) {
      worker->wait_for("." + std::to_string(10 + 7 * round % 60) + "\n");
      worker->kill();
      const std::string& said = worker->rest();
      EXPECT_EQ(said.find("threw"), std::string::npos) << said.substr(said.find("threw"));
      gather(said, '+', added);
      gather(said, '-', done);
      unsure += 1;
    }
  }
  const auto queue = open({.deliveries = 1'000'000});
  std::multiset<std::string> left;
  for (const char* name : {"q", "other"})
    while (const auto claim = queue->claim(name, 1h, 0s).value()) left.insert(claim->job.key);
  const std::set<std::string> once(left.begin(), left.end());
  EXPECT_EQ(once.size(), left.size()) << "one is there twice";
  std::size_t lost = 0, risen = 0;
  for (const std::string& key : added) lost += left.count(key) + done.count(key) == 0 ? 1 : 0;
  for (const std::string& key : done) risen += left.count(key);
  EXPECT_LE(lost, unsure);  // done, and killed before it could say so
  EXPECT_EQ(risen, 0U);
  EXPECT_EQ(std::set<std::string>(done.begin(), done.end()).size(), done.size());
  EXPECT_GT(done.size(), 100U);
}

}  // namespace
}  // namespace tanggul::sqlite
