#pragma once

#include <gtest/gtest.h>

#include "adapters/postgres/postgres_database.h"
#include "support/database_fetch.h"
#include "support/eventually.h"
#include "support/postgres_server.h"

namespace tanggul::postgres {

using registry::sql::Values;
using test::DatabaseFetchPtr;
using test::PostgresServer;

// A real server with the seeds' table, and a database in front of it.
class PostgresTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::postgres_is_here()) GTEST_SKIP() << "there is no PostgreSQL on this machine";
    server_ = std::make_unique<PostgresServer>();
    server_->sql(
        "CREATE TABLE products(id text PRIMARY KEY, name text NOT NULL, price numeric(12,2));"
        "INSERT INTO products SELECT n::text, 'Product ' || n, n * 10 + 0.99 "
        "FROM generate_series(1, 100) n");
  }

  DatabaseConfig config(std::string query, std::size_t parameters = 1) const {
    DatabaseConfig c;
    c.address = server_->url();
    c.connect = 30s;  // no test is about it, and a machine may be busy
    c.query.origin = "products";
    c.query.text = std::move(query);
    for (std::size_t i = 0; i < parameters; ++i) {
      registry::sql::Parameter p;
      p.name = "p" + std::to_string(i + 1);
      c.query.parameters.push_back(std::move(p));
    }
    return c;
  }
  std::shared_ptr<ports::Database> open(DatabaseConfig c) {
    return make_database(loop_.executor(), std::move(c));
  }
  std::shared_ptr<ports::Database> products() {
    return open(config("SELECT id, name, price FROM products WHERE id = $1"));
  }
  // What the server is busy with for us, by its own account.
  std::size_t active() const {
    return std::stoul(
        server_->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tanggul' "
                     "AND state = 'active'"));
  }
  std::size_t sessions() const {
    return std::stoul(
        server_->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tanggul'"));
  }

  std::unique_ptr<PostgresServer> server_;
  test::DatabaseLoop loop_;
};

}  // namespace tanggul::postgres
