#pragma once

#include <sqlite3.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "adapters/sqlite/sqlite_database.h"
#include "base/rarely.h"
#include "base/result.h"
#include "registry/sql/answer.h"
#include "registry/sql/values.h"

namespace tanggul::sqlite {

// One query, between the thread that wants it and the one that runs it.
struct Job {
  registry::sql::Values values;
  bool probe = false;
  MonoTime deadline = kForever;
  std::atomic<bool> given_up{false};
  std::atomic<bool> taken{false};  // by a connection
};

struct Ran {
  registry::sql::Answer answer;
  std::optional<Errc> error;  // then there is no answer
  std::string detail;
};

// A connection that only reads, with its statement prepared; opened by its first query. One thread
// at a time.
class Connection {
 public:
  explicit Connection(std::shared_ptr<const DatabaseConfig> config) : config_(std::move(config)) {}

  Ran run(Job& job);

 private:
  struct Close {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };

  std::optional<Ran> open();
  void close_if_replaced();
  std::optional<Ran> prepare();
  Ran ask(Job& job);
  Ran failed(int code, const Job& job);
  bool bind(const registry::sql::Values& values);
  void append_column(int column, std::string& out) const;

  const std::shared_ptr<const DatabaseConfig> config_;
  std::unique_ptr<sqlite3, Close> database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::vector<std::string> columns_, types_;  // as declared
  Rarely rarely_{1s};
  std::uint64_t device_ = 0, inode_ = 0;  // of the file that is open
};

}  // namespace tanggul::sqlite
