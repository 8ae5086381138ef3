#include "adapters/postgres/sql_session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "support/eventually.h"
#include "support/postgres_server.h"

namespace tanggul::postgres {
namespace {

using ports::SqlRow;

class PostgresSqlSession : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::postgres_is_here()) GTEST_SKIP() << "there is no PostgreSQL on this machine";
    server_ = std::make_unique<test::PostgresServer>();
  }
  std::unique_ptr<ports::SqlSession> open(SqlSessionConfig config = {}) const {
    config.address = server_->url();
    return std::move(open_sql_session(config)).value();
  }
  static std::int64_t whole(ports::SqlSession& session, std::string_view statement) {
    std::int64_t out = -1;
    session.run(statement, {}, [&](const SqlRow& row) { out = std::get<std::int64_t>(row[0]); })
        .value();
    return out;
  }

  std::unique_ptr<test::PostgresServer> server_;
};

TEST_F(PostgresSqlSession, WhatIsWrittenIsReadAsItWas) {
  const auto session = open();
  session->script("CREATE TABLE v(a bigint, b double precision, c text, d text, e text)").value();
  const SqlRow written{std::int64_t{INT64_MIN}, 0.1 + 0.2, std::string("a'b\\\"\n\xc3\xa4"),
                       std::monostate(), std::string()};
  EXPECT_EQ(session->run("INSERT INTO v VALUES ($1, $2, $3, $4, $5)", written).value(), 1U);
  SqlRow read;
  session->run("SELECT * FROM v", {}, [&](const SqlRow& row) { read = row; }).value();
  EXPECT_EQ(read, written);
  session
      ->run("SELECT 1 = 1, 2::int4, 1.5::float4, NULL::bool", {},
            [&](const SqlRow& row) { read = row; })
      .value();
  EXPECT_EQ(read, (SqlRow{std::int64_t{1}, std::int64_t{2}, 1.5, std::monostate()}));
}

TEST_F(PostgresSqlSession, TellsWhatIsWrongApart) {
  const auto session = open();
  EXPECT_EQ(session->run("SELECT nothing", {}).error().code, Errc::internal);
  EXPECT_EQ(session->run("SELECT 1", {std::int64_t{1}}).error().code, Errc::internal);
  EXPECT_EQ(session->run("SELECT $1::text", {std::string("a\0b", 3)}).error().code, Errc::internal);
  EXPECT_EQ(whole(*session, "SELECT 1::bigint"), 1);
  EXPECT_EQ(open_sql_session({"postgres://127.0.0.1/?nothing=1"}).error().code, Errc::refused);
  const auto nobody = open_sql_session({"postgres://x@127.0.0.1:1/x"}).value()->run("SELECT 1", {});
  EXPECT_EQ(nobody.error().code, Errc::refused);
  SqlSessionConfig other{server_->url() + "_that_is_not_there"};
  EXPECT_EQ(open_sql_session(other).value()->run("SELECT 1", {}).error().code, Errc::refused);
}

TEST_F(PostgresSqlSession, WhatFailsLeavesNothingBehind) {
  const auto session = open();
  session->script("CREATE TABLE t(n bigint)").value();
  const auto insert = [&] { return session->run("INSERT INTO t VALUES (1)", {}); };
  const auto failed = session->transaction([&]() -> Expected<void> {
    insert().value();
    return Failure{Errc::io, "no"};
  });
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_THROW((void)session->transaction([&]() -> Expected<void> {
    insert().value();
    throw std::runtime_error("x");
  }),
               std::runtime_error);
  // The server would answer its COMMIT with success.
  const auto ignored = session->transaction([&]() -> Expected<void> {
    insert().value();
    EXPECT_FALSE(session->run("SELECT nothing", {}));
    return {};
  });
  EXPECT_FALSE(ignored);
  EXPECT_EQ(whole(*session, "SELECT count(*) FROM t"), 0);
}

TEST_F(PostgresSqlSession, AnExceptionAmidTheRowsCostsTheConnectionAlone) {
  const auto session = open();
  EXPECT_THROW((void)session->run("SELECT generate_series(1, 1000)", {},
                                  [](const SqlRow&) { throw std::runtime_error("x"); }),
               std::runtime_error);
  EXPECT_EQ(whole(*session, "SELECT 1::bigint"), 1);
}

TEST_F(PostgresSqlSession, WhatStaysLockedFailsInTime) {
  const auto one = open();
  const auto two = open({.lock = 50ms});
  one->script("CREATE TABLE t(n bigint); INSERT INTO t VALUES (1)").value();
  one->transaction([&]() -> Expected<void> {
       one->run("UPDATE t SET n = 2", {}).value();
       EXPECT_EQ(two->run("UPDATE t SET n = 3", {}).error().code, Errc::limit);
       return {};
     })
      .value();
  const auto hasty = open({.statement = 50ms});
  EXPECT_EQ(hasty->run("SELECT 1 WHERE pg_sleep(600) IS NULL", {}).error().code, Errc::limit);
  EXPECT_EQ(whole(*hasty, "SELECT 1::bigint"), 1);
}

// Each holds what the other wants: the server ends one of them, which then does its work again.
TEST_F(PostgresSqlSession, AConflictIsDoneAgain) {
  open()->script("CREATE TABLE t(k bigint, n bigint); INSERT INTO t VALUES (1, 0), (2, 0)").value();
  std::latch both(2);
  std::atomic<int> runs{0};
  const auto add = [&](std::int64_t first, std::int64_t second) {
    const auto session = open();
    bool met = false;
    session
        ->transaction([&]() -> Expected<void> {
          ++runs;
          for (const std::int64_t k : {first, second}) {
            const auto ran = session->run("UPDATE t SET n = n + 1 WHERE k = $1", {k});
            if (!ran) return ran.error();
            if (!std::exchange(met, true)) both.arrive_and_wait();
          }
          return {};
        })
        .value();
  };
  std::thread other(add, 1, 2);
  add(2, 1);
  other.join();
  EXPECT_EQ(whole(*open(), "SELECT sum(n)::bigint FROM t"), 4);
  EXPECT_GT(runs.load(), 2);
}

TEST_F(PostgresSqlSession, AfterARestartItIsWholeAgain) {
  const auto session = open();
  session->script("CREATE TABLE t(n bigint)").value();
  for (const bool hard : {false, true}) {
    EXPECT_EQ(whole(*session, "SELECT count(*) FROM t"), 0);
    hard ? server_->kill() : server_->stop();
    EXPECT_EQ(session->run("SELECT count(*) FROM t", {}).error().code, Errc::reset);
    EXPECT_EQ(session->run("SELECT count(*) FROM t", {}).error().code, Errc::refused);
    server_->start();
  }
  EXPECT_EQ(whole(*session, "SELECT count(*) FROM t"), 0);
}

TEST_F(PostgresSqlSession, ATransactionDoesNotGoOnOverAnotherConnection) {
  const auto session = open();
  session->script("CREATE TABLE t(n bigint)").value();
  const auto lost = session->transaction([&]() -> Expected<void> {
    session->run("INSERT INTO t VALUES (1)", {}).value();
    server_->sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'tanggul'");
    EXPECT_EQ(session->run("INSERT INTO t VALUES (2)", {}).error().code, Errc::reset);
    EXPECT_EQ(session->run("INSERT INTO t VALUES (3)", {}).error().code, Errc::reset);
    return {};
  });
  EXPECT_EQ(lost.error().code, Errc::reset);
  EXPECT_EQ(whole(*session, "SELECT count(*) FROM t"), 0);
}

TEST_F(PostgresSqlSession, AServerThatFallsSilentDoesNotHoldItForEver) {
  const auto session = open({.statement = 100ms, .silence = 100ms});
  EXPECT_EQ(whole(*session, "SELECT 1::bigint"), 1);
  server_->freeze();
  EXPECT_EQ(session->run("SELECT 1", {}).error().code, Errc::reset);
  server_->thaw();
  EXPECT_TRUE(test::eventually([&] { return session->run("SELECT 1", {}).has_value(); }));
}

}  // namespace
}  // namespace tanggul::postgres
