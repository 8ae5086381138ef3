#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "support/postgres_server.h"

namespace tanggul::test {

// A PostgreSQL with a table of products, ids "1" to "100".
class ProductsDatabase {
 public:
  // `counts`: writes down each query that it begins.
  explicit ProductsDatabase(bool counts = true);

  PostgresServer& server() { return server_; }
  std::string sql(const std::string& statement) const { return server_.sql(statement); }

  // An origin "products" at /products/{id}. `condition`: what else its query asks for, after
  // "WHERE id = $1"; `keys`: further lines of the origin.
  std::string yaml(std::string_view condition = "", std::string_view keys = "",
                   std::string_view top = "") const;

  std::size_t queries() const;  // of ours, that the server has begun; where it counts
  std::size_t active() const;   // of ours, that it is busy with
  std::size_t sessions() const;

 private:
  PostgresServer server_;
};

// A query takes so long: pg_sleep() gives nothing, which is not NULL.
inline constexpr std::string_view kTakes300ms = " AND pg_sleep(0.3) IS NOT NULL";
inline constexpr std::string_view kHangs = " AND pg_sleep(600) IS NOT NULL";

}  // namespace tanggul::test
