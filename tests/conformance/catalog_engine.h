#pragma once

#include <memory>
#include <string>

#include "ports/sql_session.h"
#include "support/postgres_server.h"
#include "support/temp_dir.h"

namespace tanggul::test {

// A database of one of the engines, empty at first, and sessions of it.
class CatalogEngine {
 public:
  virtual ~CatalogEngine() = default;
  virtual std::string address() const = 0;  // for open_session()
  virtual PostgresServer* server() { return nullptr; }
};

std::unique_ptr<CatalogEngine> sqlite_engine();
std::unique_ptr<CatalogEngine> postgres_engine();

// "sqlite:FILE", or PostgreSQL's own form.
std::unique_ptr<ports::SqlSession> open_session(const std::string& address);

}  // namespace tanggul::test
