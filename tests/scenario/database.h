#pragma once

#include "scenario/scenario.h"
#include "support/postgres_server.h"

namespace tanggul::test {

// A PostgreSQL with the seeds' table, which writes down each query that it begins.
class ProductsDatabase {
 public:
  ProductsDatabase();

  PostgresServer& server() { return server_; }
  std::string sql(const std::string& statement) const { return server_.sql(statement); }

  // An origin "products" at /products/{id}. `condition`: what else its query asks for, after
  // "WHERE id = $1"; `keys`: further lines of the origin.
  std::string yaml(std::string_view condition = "", std::string_view keys = "",
                   std::string_view top = "") const;

  std::size_t queries() const;  // of ours, that the server has begun
  std::size_t active() const;   // of ours, that it is busy with
  std::size_t sessions() const;

 private:
  PostgresServer server_;
};

// A query takes so long: pg_sleep() gives nothing, which is not NULL.
inline constexpr std::string_view kTakes300ms = " AND pg_sleep(0.3) IS NOT NULL";
inline constexpr std::string_view kHangs = " AND pg_sleep(600) IS NOT NULL";

class SqlScenario : public testing::Test {
 protected:
  void SetUp() override {
    if (!postgres_is_here()) GTEST_SKIP() << "there is no PostgreSQL on this machine";
    db_ = std::make_unique<ProductsDatabase>();
  }
  std::unique_ptr<ProductsDatabase> db_;
};

}  // namespace tanggul::test
