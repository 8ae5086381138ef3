#include <fmt/format.h>

#include <atomic>
#include <latch>
#include <thread>

#include "conformance/catalog_for_test.h"
#include "support/eventually.h"
#include "support/process.h"

namespace tanggul::test {
namespace {

class CatalogConcurrency : public CatalogTest {
 protected:
  std::unique_ptr<Process> writer(int first, int last, int rounds, int papers = 2) const {
    return std::make_unique<Process>(ProcessSpec{
        .args = {CATALOG_WRITER_PATH, engine_->address(), std::to_string(first),
                 std::to_string(last), std::to_string(rounds), std::to_string(papers)}});
  }
  // Each snapshot has as many links as its writer has said, and all that goes with them.
  void expect_nothing_half() {
    EXPECT_EQ(ask("SELECT count(*) FROM snapshots s WHERE s.files_read <> "
                  "(SELECT count(*) FROM links l WHERE l.snapshot = s.id)"),
              "0");
    EXPECT_EQ(ask("SELECT count(*) FROM snapshots s WHERE 2 <> "
                  "(SELECT count(*) FROM models m WHERE m.snapshot = s.id)"),
              "0");
    EXPECT_EQ(ask("SELECT count(*) FROM repositories r WHERE NOT EXISTS "
                  "(SELECT 1 FROM visits v WHERE v.repository = r.id)"),
              "0");
    EXPECT_EQ(ask("SELECT count(*) FROM links l WHERE NOT EXISTS "
                  "(SELECT 1 FROM papers p WHERE p.arxiv = l.paper)"),
              "0");
  }
};

using CatalogServer = CatalogTest;  // of an engine that has one

TEST_P(CatalogConcurrency, ProcessesWriteTheSameRepositoriesAndOthersAtOnce) {
  std::vector<std::unique_ptr<Process>> writers;
  writers.push_back(writer(1, 20, 3));
  writers.push_back(writer(1, 20, 3));
  writers.push_back(writer(15, 40, 2));
  for (const auto& one : writers) EXPECT_EQ(one->wait(100s), 0) << one->err();
  EXPECT_EQ(ask("SELECT count(*) FROM repositories"), "40");
  EXPECT_EQ(ask("SELECT count(*) FROM snapshots"), "40");
  EXPECT_EQ(ask("SELECT count(*) FROM current_snapshots"), "40");
  expect_nothing_half();
}

TEST_P(CatalogConcurrency, ThreadsOpenAnEmptyDatabaseAtOnce) {
  const auto empty = on_postgres() ? postgres_engine() : sqlite_engine();
  constexpr int kThreads = 6;
  std::latch all(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      all.arrive_and_wait();
      const auto session = open_session(empty->address());
      auto own = sync::Catalog::open(*session).value();
      own.commit(visit(fmt::format("a/{}", i))).value();
      own.commit(visit("a/same")).value();
    });
  for (std::thread& thread : threads) thread.join();
  const auto session = open_session(empty->address());
  std::int64_t count = 0;
  session
      ->run("SELECT count(*) FROM current_snapshots", {},
            [&](const ports::SqlRow& row) { count = std::get<std::int64_t>(row[0]); })
      .value();
  EXPECT_EQ(count, kThreads + 1);
}

TEST_P(CatalogConcurrency, RenamesAndCommitsOfTheSameAtOnceEndInOneRow) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      const auto session = open_session(engine_->address());
      auto own = sync::Catalog::open(*session).value();
      for (int round = 0; round < 10; ++round) {
        sync::Visit one = visit(i % 2 == 0 ? "a/old" : "a/new");
        own.commit(one).value();
        one.repository.url = "https://github.com/a/new";
        own.renamed("https://github.com/a/old", one.repository, kStart).value();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ask("SELECT url FROM repositories"), "https://github.com/a/new");
  EXPECT_EQ(ask("SELECT count(*) FROM snapshots"), "1");
  EXPECT_EQ(ask("SELECT url FROM aliases"), "https://github.com/a/old");
}

TEST_P(CatalogConcurrency, AWriterThatIsKilledLeavesNothingHalf) {
  for (int round = 0; round < 5; ++round) {
    const auto victim = writer(round * 100, round * 100 + 99, 1, 400);
    // Somewhere amid a commit: each is long beside what is between two.
    const std::string so_far(static_cast<std::size_t>(round) + 2, '.');
    ASSERT_TRUE(victim->wait_for_output(so_far, 60s)) << victim->err();
    victim->signal(SIGKILL);
    victim->wait(20s);
    expect_nothing_half();
    if (!on_postgres()) {
      EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
    }
  }
  // Others go on where it was.
  const auto next = writer(0, 20, 1);
  EXPECT_EQ(next->wait(100s), 0) << next->err();
  expect_nothing_half();
}

TEST_P(CatalogServer, ThatIsStartedAgainCostsTheCallThatIsUnderWay) {
  for (const bool hard : {false, true}) {
    catalog().commit(visit("a/b")).value();
    hard ? engine_->server()->kill() : engine_->server()->stop();
    EXPECT_EQ(catalog().commit(visit("a/c")).error().code, Errc::reset);
    EXPECT_EQ(catalog().commit(visit("a/c")).error().code, Errc::refused);
    engine_->server()->start();
  }
  catalog().commit(visit("a/c")).value();
  EXPECT_EQ(ask("SELECT url FROM repositories ORDER BY url"),
            "https://github.com/a/b https://github.com/a/c");
}

TEST_P(CatalogConcurrency, AnOlderProgramIsRefusedByANewerCatalog) {
  ask("INSERT INTO catalog_version(version) VALUES (99)");
  const auto refused = sync::Catalog::open(*session_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_EQ(refused.error().detail,
            "the catalog has version 99 of its schema, and this program knows 1: use a newer one");
  ask("DELETE FROM catalog_version WHERE version = 99");
  EXPECT_TRUE(sync::Catalog::open(*session_));
}

INSTANTIATE_ON_BOTH_ENGINES(CatalogConcurrency);
INSTANTIATE_TEST_SUITE_P(Engines, CatalogServer, testing::Values(ports::SqlDialect::postgres),
                         engine_name);

}  // namespace
}  // namespace tanggul::test
