#include "support/products_database.h"

namespace tanggul::test {

ProductsDatabase::ProductsDatabase(bool counts) : server_(counts ? "log_statement = 'all'" : "") {
  sql("CREATE TABLE products(id text PRIMARY KEY, name text NOT NULL, price numeric(12,2));"
      "INSERT INTO products SELECT n::text, 'Product ' || n, n * 10 + 0.99 "
      "FROM generate_series(1, 100) n");
}

std::string ProductsDatabase::yaml(std::string_view condition, std::string_view keys,
                                   std::string_view top) const {
  std::string out(top);
  out += "access_log: text\norigins:\n  products:\n    kind: sql\n    mount: \"/products/{id}\"\n";
  out += "    database: \"" + server_.url() + "\"\n";
  out += "    query: \"SELECT id, name, price FROM products WHERE id = $1";
  out.append(condition).append("\"\n").append(keys);
  return out;
}

std::size_t ProductsDatabase::queries() const {
  const std::string log = server_.log();
  std::size_t count = 0;
  for (std::size_t at = 0; (at = log.find("execute tanggul_", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

std::size_t ProductsDatabase::active() const {
  return std::stoul(
      sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tanggul' "
          "AND state = 'active'"));
}

std::size_t ProductsDatabase::sessions() const {
  return std::stoul(
      sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tanggul'"));
}

}  // namespace tanggul::test
