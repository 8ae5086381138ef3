#include "adapters/sqlite/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/temp_dir.h"

namespace tanggul::sqlite {
namespace {

using ports::SqlRow;

class SqliteSession : public testing::Test {
 protected:
  std::unique_ptr<ports::SqlSession> open(Duration busy = 10s) const {
    return std::move(open_session({dir_.file("a.db"), busy})).value();
  }
  std::int64_t sum(ports::SqlSession& session) const {
    std::int64_t out = -1;
    session
        .run("SELECT coalesce(sum(n), 0) FROM t", {},
             [&](const SqlRow& row) { out = std::get<std::int64_t>(row[0]); })
        .value();
    return out;
  }

  const test::TempDir dir_;
};

TEST_F(SqliteSession, WhatIsWrittenIsReadAsItWas) {
  const auto session = open();
  session->script("CREATE TABLE v(a, b, c, d); CREATE TABLE w(a);").value();
  const SqlRow written{std::int64_t{-7}, 0.5, std::string("a\0b", 3), std::monostate()};
  EXPECT_EQ(session->run("INSERT INTO v VALUES ($1, $2, $3, $4)", written).value(), 1U);
  SqlRow read;
  session->run("SELECT * FROM v", {}, [&](const SqlRow& row) { read = row; }).value();
  EXPECT_EQ(read, written);
}

TEST_F(SqliteSession, WhatFailsLeavesNothingBehind) {
  const auto session = open();
  session->script("CREATE TABLE t(n INTEGER)").value();
  const auto failed = session->transaction([&]() -> Expected<void> {
    session->run("INSERT INTO t VALUES (1)", {}).value();
    return Failure{Errc::io, "no"};
  });
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_EQ(sum(*session), 0);
  EXPECT_THROW((void)session->transaction([&]() -> Expected<void> {
    session->run("INSERT INTO t VALUES (1)", {}).value();
    throw std::runtime_error("x");
  }),
               std::runtime_error);
  EXPECT_EQ(sum(*session), 0);
}

TEST_F(SqliteSession, WritersWaitForEachOther) {
  open()->script("CREATE TABLE t(n INTEGER)").value();
  const auto write = [this] {
    const auto session = open();
    for (int i = 0; i < 200; ++i) {
      session
          ->transaction([&]() -> Expected<void> {
            const std::int64_t now = sum(*session);
            session->run("DELETE FROM t", {}).value();
            session->run("INSERT INTO t VALUES ($1)", {now + 1}).value();
            return {};
          })
          .value();
    }
  };
  std::thread other(write);
  write();
  other.join();
  EXPECT_EQ(sum(*open()), 400);
}

TEST_F(SqliteSession, WhatStaysLockedFailsInTime) {
  const auto one = open(), two = open(50ms);
  one->script("CREATE TABLE t(n INTEGER)").value();
  one->transaction([&]() -> Expected<void> {
       EXPECT_EQ(two->run("INSERT INTO t VALUES (1)", {}).error().code, Errc::limit);
       return {};
     })
      .value();
}

TEST_F(SqliteSession, TellsWhatIsWrongApart) {
  const auto session = open();
  EXPECT_EQ(session->run("SELECT nothing", {}).error().code, Errc::internal);
  EXPECT_EQ(session->run("SELECT 1", {std::int64_t{1}}).error().code, Errc::internal);
  EXPECT_EQ(open_session({dir_.file("no/such/folder")}).error().code, Errc::refused);
  dir_.write("text", "this is no database, and long enough for its head to be looked at, or so");
  EXPECT_EQ(open_session({dir_.file("text")}).error().code, Errc::refused);
}

}  // namespace
}  // namespace tanggul::sqlite
