#include "conformance/catalog_engine.h"

#include "adapters/postgres/sql_session.h"
#include "adapters/sqlite/session.h"

namespace tanggul::test {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

class SqliteEngine final : public CatalogEngine {
 public:
  std::string address() const override { return std::string(kSqlite) + dir_.file("catalog.db"); }

 private:
  const TempDir dir_;
};

class PostgresEngine final : public CatalogEngine {
 public:
  std::string address() const override { return server_.url(); }
  PostgresServer* server() override { return &server_; }

 private:
  PostgresServer server_;
};

}  // namespace

std::unique_ptr<CatalogEngine> sqlite_engine() { return std::make_unique<SqliteEngine>(); }
std::unique_ptr<CatalogEngine> postgres_engine() { return std::make_unique<PostgresEngine>(); }

// The machine may be busy, and no test here is about time: the bounds are against hangs.
std::unique_ptr<ports::SqlSession> open_session(const std::string& address) {
  if (address.starts_with(kSqlite))
    return std::move(sqlite::open_session({address.substr(kSqlite.size()), 60s})).value();
  return std::move(postgres::open_sql_session({.address = address,
                                               .connect = 30s,
                                               .statement = 60s,
                                               .lock = 60s,
                                               .silence = 30s}))
      .value();
}

}  // namespace tanggul::test
