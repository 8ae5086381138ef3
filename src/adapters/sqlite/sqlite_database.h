#pragma once

#include <memory>
#include <string>

#include "ports/database.h"
#include "registry/sql/query.h"
#include "tanggul/base/clock.h"

namespace tanggul::sqlite {

struct DatabaseConfig {
  registry::sql::Query query;
  std::string file;
  int pool = 8;            // connections at most, each with a thread of its own
  Duration deadline = 3s;  // of a query
  // A function for trying things out, pause(seconds): true after that time.
  bool has_pause = false;
};

// Connections that only read. A query ends when its deadline passes or nobody wants it any more.
// What fetch() ends with, beside an answer: refused (no such file, or no database),
// first_byte_timeout, limit (no connection was free in time), cancelled.
std::shared_ptr<ports::Database> make_database(DatabaseConfig config);

}  // namespace tanggul::sqlite
