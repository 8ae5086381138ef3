#include "adapters/sqlite/sqlite_database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "adapters/sqlite/demo.h"
#include "support/database_fetch.h"
#include "support/temp_dir.h"

namespace tanggul::sqlite {
namespace {

using registry::sql::Type;

void execute(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_free(error);
  sqlite3_close(database);
}

class SqliteDatabaseTest : public testing::Test {
 protected:
  DatabaseConfig config(std::string query, std::vector<Type> types = {Type::any}) const {
    DatabaseConfig c;
    c.file = file_;
    c.query.origin = "products";
    c.query.text = std::move(query);
    for (const Type type : types) {
      registry::sql::Parameter p;
      p.name = "p";
      p.type = type;
      c.query.parameters.push_back(std::move(p));
    }
    return c;
  }
  std::shared_ptr<ports::Database> products() {
    EXPECT_EQ(make_demo(file_), "");
    return make_database(config("SELECT id, name, price FROM products WHERE id = $1"));
  }

  test::TempDir dir_;
  const std::string file_ = dir_.file("app.db");
  test::DatabaseLoop loop_;
};

TEST_F(SqliteDatabaseTest, ARowIsAnObjectAndNoRowIsNotFound) {
  const auto db = products();
  EXPECT_EQ(loop_.told(*db, {"42"}), R"(200 {"id":"42","name":"Product 42","price":420.99})");
  EXPECT_TRUE(loop_.told(*db, {"no such"}).starts_with("404 "));
  for (const auto* text : {"' OR '1'='1", "1; DROP TABLE products", "$1"})
    EXPECT_TRUE(loop_.told(*db, {text}).starts_with("404 ")) << text;
  EXPECT_EQ(db->pool().idle, 1U);
}

TEST_F(SqliteDatabaseTest, EveryTypeIsFaithful) {
  execute(file_,
          "CREATE TABLE t(a BOOLEAN, b INTEGER, c REAL, d NUMERIC, e TEXT, f BLOB, g JSON, "
          "h TIMESTAMP, i DATETIME, j TEXT, k JSON, l REAL);"
          "INSERT INTO t VALUES (1, 9223372036854775807, 0.1, 19.99, 'a\"b', x'00ff', "
          "'{\"a\": 1.50}', '2024-02-29 12:30:00', '2024-02-29 12:30:00.5+02:00', NULL, "
          "'not json', 9e999);"
          "CREATE TABLE odd(t TIMESTAMP); INSERT INTO odd VALUES ('2024-01-01'), ('x'), (''), "
          "('2024-01-01 10:00')");
  DatabaseConfig odd = config("SELECT t FROM odd", {});
  odd.query.many = true;
  const auto odd_ones = make_database(odd);
  const auto all = loop_.start(*odd_ones, registry::sql::Values{});
  loop_.finish({all});
  EXPECT_EQ(all->body,
            "[{\"t\":\"2024-01-01\"},\n{\"t\":\"x\"},\n{\"t\":\"\"},\n"
            "{\"t\":\"2024-01-01 10:00\"}]\n");
  const auto db = make_database(config("SELECT * FROM t", {}));
  EXPECT_EQ(loop_.told(*db, {}),
            "200 {\"a\":true,\"b\":9223372036854775807,\"c\":0.1,\"d\":19.99,\"e\":\"a\\\"b\","
            "\"f\":\"AP8=\",\"g\":{\"a\": 1.50},\"h\":\"2024-02-29T12:30:00Z\","
            "\"i\":\"2024-02-29T12:30:00.5+02:00\",\"j\":null,\"k\":\"not json\","
            "\"l\":\"Infinity\"}");
}

TEST_F(SqliteDatabaseTest, ValuesAreBoundAsWhatTheyAre) {
  execute(file_, "CREATE TABLE t(x); INSERT INTO t VALUES (7), ('7'), (1.5)");
  const auto kind = [&](Type type, std::string value) {
    const auto db = make_database(config("SELECT typeof($1) AS kind FROM t LIMIT 1", {type}));
    return loop_.told(*db, {std::move(value)});
  };
  EXPECT_EQ(kind(Type::any, "7"), R"(200 {"kind":"text"})");
  EXPECT_EQ(kind(Type::integer, "7"), R"(200 {"kind":"integer"})");
  EXPECT_EQ(kind(Type::number, "1.5"), R"(200 {"kind":"real"})");
  EXPECT_EQ(kind(Type::boolean, "true"), R"(200 {"kind":"integer"})");
}

TEST_F(SqliteDatabaseTest, ManyRowsAreAnArrayWithinItsBound) {
  products();
  DatabaseConfig c = config("SELECT name FROM products WHERE CAST(id AS INTEGER) <= $1 ORDER BY id",
                            {Type::integer});
  c.query.many = true;
  c.query.max_object = 200;
  const auto db = make_database(c);
  EXPECT_EQ(loop_.told(*db, {"0"}), "200 []");
  EXPECT_EQ(loop_.told(*db, {"1"}), R"(200 [{"name":"Product 1"}])");
  EXPECT_TRUE(loop_.told(*db, {"100"}).starts_with("500 "));
}

TEST_F(SqliteDatabaseTest, AQueryEndsAtItsDeadlineAndWhenNobodyWantsIt) {
  products();
  const auto db = make_database(
      config("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n "
             "WHERE i <> $1"));
  EXPECT_EQ(loop_.told(*db, {"0"}, 200ms), "first_byte_timeout");
  const auto unwanted = loop_.start(*db, {"0"});
  ASSERT_TRUE(loop_.until([&] { return db->pool().busy == 1; }));
  unwanted->cancel.cancel();
  loop_.finish({unwanted});
  EXPECT_EQ(unwanted->told(), "cancelled");
  EXPECT_TRUE(loop_.until([&] { return db->pool().busy == 0; }));
}

TEST_F(SqliteDatabaseTest, ErrorsTellTheClientNothing) {
  products();
  const auto db = make_database(config("SELECT secret FROM nowhere WHERE id = $1"));
  const auto bad = loop_.start(*db, {"1"});
  loop_.finish({bad});
  EXPECT_EQ(bad->status, 500);
  EXPECT_EQ(bad->body.find("nowhere"), std::string::npos);
  // And are no state: the table may come to be.
  execute(file_,
          "CREATE TABLE nowhere(id TEXT, secret TEXT); INSERT INTO nowhere VALUES ('1', 'x')");
  EXPECT_EQ(loop_.told(*db, {"1"}), R"(200 {"secret":"x"})");
}

TEST_F(SqliteDatabaseTest, AFileThatIsNotThereIsRefusedUntilItIs) {
  const auto db = make_database(config("SELECT id FROM products WHERE id = $1"));
  EXPECT_EQ(loop_.told(*db, {"1"}), "refused");
  EXPECT_FALSE(std::filesystem::exists(file_)) << "it only reads";
  ASSERT_EQ(make_demo(file_), "");
  EXPECT_EQ(loop_.told(*db, {"1"}), R"(200 {"id":"1"})");
  const std::string garbage = dir_.write("garbage", std::string(10'000, 'x'));
  std::filesystem::rename(garbage, file_);
  EXPECT_EQ(loop_.told(*db, {"1"}), "refused");
}

TEST_F(SqliteDatabaseTest, AFileThatIsReplacedIsReadFromThenOn) {
  const auto db = products();
  EXPECT_TRUE(loop_.told(*db, {"1"}).starts_with("200 "));
  const std::string other = dir_.file("other.db");
  execute(other,
          "CREATE TABLE products(id TEXT, name TEXT, price NUMERIC);"
          "INSERT INTO products VALUES ('1', 'another', 5)");
  std::filesystem::rename(other, file_);
  EXPECT_EQ(loop_.told(*db, {"1"}), R"(200 {"id":"1","name":"another","price":5})");
}

TEST_F(SqliteDatabaseTest, NoMoreQueriesAtOnceThanThePoolHas) {
  ASSERT_EQ(make_demo(file_), "");
  DatabaseConfig c = config("SELECT id FROM products WHERE id = $1 AND pause(0.3)");
  c.has_pause = true;
  c.pool = 2;
  const auto db = make_database(c);
  std::vector<test::DatabaseFetchPtr> all;
  for (int i = 1; i <= 4; ++i) all.push_back(loop_.start(*db, {std::to_string(i)}));
  ASSERT_TRUE(loop_.until([&] { return db->pool().busy == 2 && db->pool().waiting == 2; }));
  EXPECT_EQ(loop_.told(*db, {"5"}, 50ms), "limit");
  loop_.finish(all);
  for (const auto& f : all) EXPECT_EQ(f->status, 200) << f->told();
}

TEST_F(SqliteDatabaseTest, TheDemoLeavesATableAloneThatIsThere) {
  ASSERT_EQ(make_demo(file_), "");
  execute(file_, "DELETE FROM products WHERE id <> '1'; UPDATE products SET name = 'mine'");
  ASSERT_EQ(make_demo(file_), "");
  const auto db =
      make_database(config("SELECT count(*) AS n, max(name) AS name FROM products", {}));
  EXPECT_EQ(loop_.told(*db, {}), R"(200 {"n":1,"name":"mine"})");
}

}  // namespace
}  // namespace tanggul::sqlite
