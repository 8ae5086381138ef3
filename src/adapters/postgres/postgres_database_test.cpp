#include "adapters/postgres/server_for_test.h"

namespace tanggul::postgres {
namespace {

class PostgresDatabaseTest : public PostgresTest {};

TEST_F(PostgresDatabaseTest, ARowIsAnObjectAndNoRowIsNotFound) {
  const auto db = products();
  EXPECT_EQ(loop_.told(*db, {"42"}), R"(200 {"id":"42","name":"Product 42","price":420.99})");
  const auto none = loop_.start(*db, {"no such"});
  loop_.finish({none});
  EXPECT_EQ(none->status, 404);
  EXPECT_EQ(none->type, "application/problem+json");
  EXPECT_NE(none->body.find("\"urn:tanggul:problem:no-row\""), std::string::npos) << none->body;
}

TEST_F(PostgresDatabaseTest, InjectionIsDataLikeAnyOther) {
  const auto db = products();
  for (const auto* text : {"' OR '1'='1", "1; DROP TABLE products", "1' UNION SELECT 1,2,3 --",
                           "$1", "\\", "1\xc2\xa0OR 1=1", "') OR ('1'='1"}) {
    EXPECT_TRUE(loop_.told(*db, {text}).starts_with("404 ")) << text;
  }
  EXPECT_EQ(server_->sql("SELECT count(*) FROM products"), "100");
}

TEST_F(PostgresDatabaseTest, EveryTypeIsFaithful) {
  server_->sql(
      "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN cents AS bigint;"
      "CREATE TABLE t(a bool, b smallint, c integer, d bigint, e numeric, f real, "
      "g double precision, h text, i varchar(5), j bytea, k json, l jsonb, m date, n timestamp, "
      "o timestamptz, p time, q interval, r uuid, s mood, u integer[], v text[], w cents, "
      "x inet, y text);"
      "INSERT INTO t VALUES (true, -7, 42, 9223372036854775807, 12345678901234567890.12345678900, "
      "1.5, 0.1, E'\"q\" \\\\ \\n \\u00e9', 'abc', '\\x00ff10', '{\"z\": 1,  \"a\": [1.50]}', "
      "'{\"b\": 1.50}', '2024-02-29', '2024-02-29 12:30:00.25', '2024-02-29 12:30:00+05:30', "
      "'23:59:59', '1 day 2 hours', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'ok', '{1,NULL,3}', "
      "'{\"a,b\",NULL,\"NULL\"}', 1999, '10.0.0.1', NULL)");
  const auto db = open(config("SELECT * FROM t", 0));
  EXPECT_EQ(
      loop_.told(*db, {}),
      "200 {\"a\":true,\"b\":-7,\"c\":42,\"d\":9223372036854775807,"
      "\"e\":12345678901234567890.12345678900,\"f\":1.5,\"g\":0.1,\"h\":\"\\\"q\\\" \\\\ \\n é\","
      "\"i\":\"abc\",\"j\":\"AP8Q\",\"k\":{\"z\": 1,  \"a\": [1.50]},\"l\":{\"b\": 1.50},"
      "\"m\":\"2024-02-29\",\"n\":\"2024-02-29T12:30:00.25\",\"o\":\"2024-02-29T07:00:00Z\","
      "\"p\":\"23:59:59\",\"q\":\"P1DT2H\",\"r\":\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\","
      "\"s\":\"ok\",\"u\":[1,null,3],\"v\":[\"a,b\",null,\"NULL\"],\"w\":1999,"
      "\"x\":\"10.0.0.1\",\"y\":null}");
}

TEST_F(PostgresDatabaseTest, ManyRowsAreAnArrayOfHoweverMany) {
  DatabaseConfig c = config("SELECT id FROM products WHERE id::int <= $1 ORDER BY id::int");
  c.query.many = true;
  const auto db = open(c);
  EXPECT_EQ(loop_.told(*db, {"0"}), "200 []");
  EXPECT_EQ(loop_.told(*db, {"1"}), R"(200 [{"id":"1"}])");
  const auto three = loop_.start(*db, {"3"});
  loop_.finish({three});
  EXPECT_EQ(three->body, "[{\"id\":\"1\"},\n{\"id\":\"2\"},\n{\"id\":\"3\"}]\n");
}

TEST_F(PostgresDatabaseTest, ValuesAreOfTheTypeThatTheServerInfersOrRefusedUnasked) {
  server_->sql(
      "CREATE TABLE n(id integer, day date, u uuid); INSERT INTO n VALUES (1, "
      "'2024-02-29', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')");
  const auto db = open(config("SELECT id FROM n WHERE id = $1 AND day >= $2", 2));
  EXPECT_EQ(loop_.told(*db, {"1", "2024-01-01"}), R"(200 {"id":1})");
  for (const Values& bad :
       {Values{"one", "2024-01-01"}, Values{"1 OR 1=1", "2024-01-01"},
        Values{"99999999999", "2024-01-01"}, Values{"1", "yesterday"}, Values{"", "2024-01-01"}}) {
    const auto fetch = loop_.start(*db, bad);
    loop_.finish({fetch});
    EXPECT_EQ(fetch->status, 400) << fetch->told();
  }
  // Of a type that only the server can read.
  const auto net = open(config("SELECT 1 AS one WHERE inet '10.0.0.1' << $1::cidr"));
  EXPECT_EQ(loop_.told(*net, {"10.0.0.0/8"}), R"(200 {"one":1})");
  EXPECT_TRUE(loop_.told(*net, {"nonsense"}).starts_with("400 "));
  EXPECT_EQ(loop_.told(*open(config("SELECT $1::text IS NULL AS none")), {std::nullopt}),
            R"(200 {"none":true})");
}

TEST_F(PostgresDatabaseTest, AnErrorTellsTheClientNothingAndTheNextQueryIsAnother) {
  server_->sql("CREATE TABLE secret(id text, n integer); INSERT INTO secret VALUES ('a', 0)");
  const auto db = open(config("SELECT 1 / n AS result FROM secret WHERE id = $1"));
  const auto bad = loop_.start(*db, {"a"});
  loop_.finish({bad});
  EXPECT_EQ(bad->status, 500);
  EXPECT_EQ(bad->type, "application/problem+json");
  for (const auto* leak : {"secret", "division", "SELECT", "22012"})
    EXPECT_EQ(bad->body.find(leak), std::string::npos) << bad->body;
  server_->sql("UPDATE secret SET n = 1");
  EXPECT_EQ(loop_.told(*db, {"a"}), R"(200 {"result":1})");
  EXPECT_EQ(db->pool().idle, 1U);
}

TEST_F(PostgresDatabaseTest, WhatCannotBeAnsweredIsAnErrorOfTheConfiguration) {
  EXPECT_TRUE(loop_.told(*open(config("SELECT nothing FROM nowhere WHERE id = $1")), {"1"})
                  .starts_with("500 "));
  EXPECT_TRUE(loop_.told(*open(config("SELECT id, name AS id FROM products WHERE id = $1")), {"1"})
                  .starts_with("500 "));
}

TEST_F(PostgresDatabaseTest, TheSessionOnlyReads) {
  server_->sql(
      "CREATE FUNCTION sneaky(text) RETURNS text LANGUAGE sql AS $$ INSERT INTO products "
      "VALUES ($1, 'x', 1) RETURNING id $$");
  const auto db = open(config("SELECT sneaky($1) AS id"));
  EXPECT_TRUE(loop_.told(*db, {"new"}).starts_with("500 "));
  EXPECT_EQ(server_->sql("SELECT count(*) FROM products"), "100");
}

TEST_F(PostgresDatabaseTest, AStatementIsPreparedAgainWhereItsTableHasChanged) {
  const auto db = open(config("SELECT * FROM products WHERE id = $1"));
  EXPECT_EQ(loop_.told(*db, {"1"}), R"(200 {"id":"1","name":"Product 1","price":10.99})");
  server_->sql("ALTER TABLE products ADD COLUMN stock integer DEFAULT 7");
  EXPECT_EQ(loop_.told(*db, {"1"}), R"(200 {"id":"1","name":"Product 1","price":10.99,"stock":7})");
  EXPECT_EQ(sessions(), 1U);
}

TEST_F(PostgresDatabaseTest, AResultOverItsBoundIsNotTaken) {
  DatabaseConfig c = config("SELECT repeat('x', 1000) AS x, generate_series(1, $1::int) AS n");
  c.query.many = true;
  c.query.max_object = 100'000;
  const auto db = open(c);
  EXPECT_TRUE(loop_.told(*db, {"50"}).starts_with("200 "));
  EXPECT_TRUE(loop_.told(*db, {"100000000"}).starts_with("500 "));
  EXPECT_TRUE(loop_.told(*db, {"50"}).starts_with("200 "));
}

TEST_F(PostgresDatabaseTest, NoMoreConnectionsThanThePoolHas) {
  DatabaseConfig c = config("SELECT pg_sleep(0.2), $1::text AS id");
  c.pool = 3;
  const auto db = open(c);
  std::vector<DatabaseFetchPtr> all;
  for (int i = 0; i < 9; ++i) all.push_back(loop_.start(*db, {std::to_string(i)}));
  ASSERT_TRUE(loop_.until([&] { return db->pool().busy == 3; }));
  EXPECT_EQ(db->pool().waiting, 6U);
  EXPECT_EQ(db->pool().size, 3U);
  loop_.finish(all);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i]->status, 200) << all[i]->told();
  EXPECT_EQ(sessions(), 3U);
  EXPECT_EQ(db->pool().idle, 3U);
  EXPECT_EQ(db->pool().waiting, 0U);
}

TEST_F(PostgresDatabaseTest, WhoGetsNoConnectionInTimeIsToldSo) {
  DatabaseConfig c = config("SELECT pg_sleep($1::float8)");
  c.pool = 1;
  const auto db = open(c);
  const auto long_one = loop_.start(*db, {"1"});
  ASSERT_TRUE(loop_.until([&] { return db->pool().busy == 1; }));
  EXPECT_EQ(loop_.told(*db, {"0"}, 100ms), "limit");
  EXPECT_TRUE(loop_.until([&] { return db->pool().waiting == 0; }));
  loop_.finish({long_one});
  EXPECT_EQ(long_one->status, 200);
}

TEST_F(PostgresDatabaseTest, AProbeAsksOnlyWhetherTheDatabaseAnswers) {
  const auto db = products();
  const auto probe = std::make_shared<test::DatabaseFetch>();
  probe->request.method = "HEAD";
  probe->request.target = "/";
  loop_.start(*db, probe);
  loop_.finish({probe});
  EXPECT_EQ(probe->status, 204);
  EXPECT_EQ(probe->body, "");
}

TEST_F(PostgresDatabaseTest, ArraysOfAnyTypeAreArrays) {
  server_->sql("CREATE TYPE mood AS ENUM ('sad', 'ok')");
  const auto db =
      open(config("SELECT '{sad,ok}'::mood[] AS a, '{10.0.0.1,NULL}'::inet[] AS b, "
                  "'{1 day}'::interval[] AS c, '{{a,b}}'::name[] AS d, '(1,2)'::point AS e",
                  0));
  EXPECT_EQ(loop_.told(*db, {}),
            "200 {\"a\":[\"sad\",\"ok\"],\"b\":[\"10.0.0.1\",null],\"c\":[\"P1D\"],"
            "\"d\":[[\"a\",\"b\"]],\"e\":\"(1,2)\"}");
}

TEST_F(PostgresDatabaseTest, OfManyRowsWhereOneIsWantedTheRestIsNotRead) {
  const auto db = open(config("SELECT generate_series(1, $1::int) AS n"));
  EXPECT_EQ(loop_.told(*db, {"3"}), R"(200 {"n":1})");
  EXPECT_EQ(loop_.told(*db, {"2000000000"}), R"(200 {"n":1})");
  EXPECT_EQ(loop_.told(*db, {"3"}), R"(200 {"n":1})");
  EXPECT_EQ(sessions(), 1U);
}

}  // namespace
}  // namespace tanggul::postgres
