#include "adapters/postgres/server_for_test.h"

namespace tanggul::postgres {
namespace {

class PostgresFaultsTest : public PostgresTest {
 protected:
  std::shared_ptr<ports::Database> sleeper(int pool = 8) {
    DatabaseConfig c = config("SELECT pg_sleep($1::float8)");
    c.pool = pool;
    return open(c);
  }
};

TEST_F(PostgresFaultsTest, AQueryPastItsDeadlineIsCancelledAtTheServer) {
  const auto db = sleeper();
  ASSERT_TRUE(loop_.told(*db, {"0"}).starts_with("200 "));
  EXPECT_EQ(loop_.told(*db, {"60"}, 1s), "first_byte_timeout");
  // Not by its own statement_timeout.
  EXPECT_TRUE(loop_.until([&] {
    return server_->log().find("canceling statement due to user request") != std::string::npos;
  }));
  EXPECT_TRUE(loop_.until([&] { return active() == 0; }));
  ASSERT_TRUE(loop_.until([&] { return db->pool().idle == 1; }));
  // The same connection, which the cancellation does not reach again.
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(loop_.told(*db, {"0"}).starts_with("200 "));
  EXPECT_EQ(sessions(), 1U);
}

TEST_F(PostgresFaultsTest, TheServerHasTheDeadlineToo) {
  DatabaseConfig c = config("SELECT current_setting('statement_timeout') AS most, $1::text AS id");
  c.statement = 1500ms;
  EXPECT_EQ(loop_.told(*open(c), {"1"}), R"(200 {"most":"1500ms","id":"1"})");
}

TEST_F(PostgresFaultsTest, AQueryThatNobodyWantsIsCancelled) {
  const auto db = sleeper();
  const auto slow = loop_.start(*db, {"60"});
  ASSERT_TRUE(loop_.until([&] { return active() == 1; }));
  slow->cancel.cancel();
  loop_.finish({slow});
  EXPECT_EQ(slow->told(), "cancelled");
  EXPECT_TRUE(loop_.until([&] { return active() == 0; }));
  EXPECT_TRUE(loop_.until([&] { return db->pool().idle == 1; }));
}

TEST_F(PostgresFaultsTest, AfterARestartThePoolIsWholeAgain) {
  const auto db = products();
  EXPECT_TRUE(loop_.told(*db, {"1"}).starts_with("200 "));
  for (const bool hard : {false, true}) {
    hard ? server_->kill() : server_->stop();
    const std::string down = loop_.told(*db, {"1"});
    EXPECT_TRUE(down == "refused" || down == "stale_connection") << down;
    EXPECT_EQ(loop_.told(*db, {"1"}), "refused");
    server_->start();
    ASSERT_TRUE(loop_.until([&] { return loop_.told(*db, {"1"}).starts_with("200 "); }));
    EXPECT_EQ(db->pool().idle, 1U);
  }
}

TEST_F(PostgresFaultsTest, ASessionThatIsEndedUnderItsQueryIsReplaced) {
  const auto db = sleeper();
  const auto slow = loop_.start(*db, {"60"});
  ASSERT_TRUE(loop_.until([&] { return active() == 1; }));
  server_->sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE application_name = 'tanggul'");
  loop_.finish({slow});
  EXPECT_EQ(slow->told(), "reset");
  EXPECT_TRUE(loop_.told(*db, {"0"}).starts_with("200 "));
}

TEST_F(PostgresFaultsTest, AnIdleSessionThatIsEndedIsNoticedBeforeItIsUsed) {
  const auto db = products();
  EXPECT_TRUE(loop_.told(*db, {"1"}).starts_with("200 "));
  server_->sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE application_name = 'tanggul'");
  EXPECT_TRUE(loop_.until([&] { return db->pool().idle == 0; }));
  EXPECT_TRUE(loop_.told(*db, {"1"}).starts_with("200 "));
}

TEST_F(PostgresFaultsTest, AServerThatStandsStillHoldsNobodyPastHisDeadline) {
  DatabaseConfig c = config("SELECT id, name, price FROM products WHERE id = $1");
  c.connect = 2s;
  const auto db = open(c);
  ASSERT_TRUE(loop_.until([&] { return loop_.told(*db, {"1"}).starts_with("200 "); }));
  server_->freeze();
  const auto on_old = loop_.start(*db, {"1"}, 300ms);
  const auto on_new = loop_.start(*db, {"2"}, 300ms);
  loop_.finish({on_old, on_new});
  EXPECT_EQ(on_old->told(), "first_byte_timeout");
  EXPECT_TRUE(on_new->end.error) << on_new->told();
  for (const auto& f : {on_old, on_new}) EXPECT_LT(f->took, 3 * 400ms);
  // The connection that was not answered on is given up.
  EXPECT_TRUE(loop_.until([&] { return db->pool().busy + db->pool().opening == 0; }));
  server_->thaw();
  EXPECT_TRUE(loop_.until([&] { return loop_.told(*db, {"1"}).starts_with("200 "); }));
}

TEST_F(PostgresFaultsTest, WhoCannotBeConnectedToIsNotTriedWithoutPause) {
  DatabaseConfig c = config("SELECT $1::text AS id");
  c.address = "postgres://postgres@127.0.0.1:" + std::to_string(server_->port()) + "/no_such";
  const auto db = open(c);
  std::vector<DatabaseFetchPtr> all;
  for (int i = 0; i < 200; ++i) all.push_back(loop_.start(*db, {"1"}));
  loop_.finish(all);
  for (const auto& f : all) {
    ASSERT_EQ(f->told(), "refused");
    // The server's words are the log's.
    EXPECT_EQ(f->end.detail, "no connection to the database");
  }
  const std::string log = server_->log();
  std::size_t tries = 0;
  for (std::size_t at = 0; (at = log.find("\"no_such\" does not exist", at)) != log.npos; ++at)
    ++tries;
  EXPECT_GE(tries, 1U);
  EXPECT_LE(tries, 16U) << "at most a pool's, and once more";
  EXPECT_EQ(db->pool().idle + db->pool().busy + db->pool().opening, 0U);
}

TEST_F(PostgresFaultsTest, AClosedPoolLetsItsConnectionsGo) {
  auto db = products();
  EXPECT_TRUE(loop_.told(*db, {"1"}).starts_with("200 "));
  EXPECT_EQ(sessions(), 1U);
  db.reset();
  EXPECT_TRUE(loop_.until([&] { return sessions() == 0; }));
}

TEST_F(PostgresFaultsTest, WhoWaitsForABusyConnectionGetsAnotherWhenThereIsOne) {
  server_->sql("CREATE ROLE narrow LOGIN CONNECTION LIMIT 1; GRANT ALL ON products TO narrow");
  DatabaseConfig c = config("SELECT pg_sleep($1::float8)");
  c.address = "postgres://narrow@127.0.0.1:" + std::to_string(server_->port()) + "/postgres";
  const auto db = open(c);
  const auto slow = loop_.start(*db, {"30"});
  ASSERT_TRUE(loop_.until([&] { return active() == 1; }));
  const auto quick = loop_.start(*db, {"0"});
  ASSERT_TRUE(loop_.until([&] { return db->pool().opening == 0 && db->pool().waiting == 1; }));
  server_->sql("ALTER ROLE narrow CONNECTION LIMIT 5");
  loop_.finish({quick});
  EXPECT_EQ(quick->status, 200) << quick->told();
  EXPECT_FALSE(slow->done);
  slow->cancel.cancel();
  loop_.finish({slow});
}

TEST_F(PostgresFaultsTest, WhatAValueIsWrongForIsNoFaultOfTheDatabase) {
  const auto limit = open(config("SELECT id FROM products LIMIT $1"));
  EXPECT_TRUE(loop_.told(*limit, {"-1"}).starts_with("400 "));
  const auto search = open(config("SELECT id FROM products WHERE name ~ $1"));
  EXPECT_TRUE(loop_.told(*search, {"("}).starts_with("400 "));
  const auto real = open(config("SELECT 1 AS one WHERE 1.0::float8 < $1"));
  EXPECT_TRUE(loop_.told(*real, {"1e400"}).starts_with("400 "));
  const auto words = open(config("SELECT 1 AS one WHERE to_tsvector('a') @@ to_tsquery($1)"));
  EXPECT_TRUE(loop_.told(*words, {"& |"}).starts_with("400 "));
}

TEST_F(PostgresFaultsTest, AfterTheEndOfThePoolNothingOfOursRuns) {
  const auto db = sleeper();
  const auto slow = loop_.start(*db, {"60"});
  ASSERT_TRUE(loop_.until([&] { return active() == 1; }));
  db->close();
  loop_.finish({slow});
  EXPECT_EQ(slow->told(), "cancelled");
  EXPECT_TRUE(loop_.until([&] { return sessions() == 0; }));
  EXPECT_EQ(loop_.told(*db, {"0"}), "cancelled");
}

}  // namespace
}  // namespace tanggul::postgres
