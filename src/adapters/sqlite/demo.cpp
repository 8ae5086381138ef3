#include "adapters/sqlite/demo.h"

#include <sqlite3.h>

namespace tanggul::sqlite {

std::string make_demo(const std::string& file) {
  static constexpr const char* kTable = R"(
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS products(
      id TEXT PRIMARY KEY, name TEXT NOT NULL, price NUMERIC NOT NULL,
      updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100)
      INSERT OR IGNORE INTO products(id, name, price)
      SELECT n, 'Product ' || n, n * 10 + 0.99 FROM numbers
      WHERE NOT EXISTS (SELECT 1 FROM products);
    COMMIT;)";
  sqlite3* database = nullptr;
  std::string wrong;
  if (sqlite3_open(file.c_str(), &database) != SQLITE_OK ||
      sqlite3_exec(database, kTable, nullptr, nullptr, nullptr) != SQLITE_OK)
    wrong = database == nullptr ? "out of memory" : sqlite3_errmsg(database);
  sqlite3_close(database);
  return wrong;
}

}  // namespace tanggul::sqlite
