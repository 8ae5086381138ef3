#pragma once

#include <memory>
#include <string>

#include "adapters/postgres/fault_log.h"
#include "adapters/postgres/job.h"
#include "adapters/postgres/postgres_database.h"
#include "adapters/postgres/statement.h"
#include "registry/sql/row_json.h"

namespace tanggul::postgres {

using StatementPtr = std::shared_ptr<const Statement>;

// A connection with the origin's one statement prepared. One thread.
class Session {
 public:
  // The operator's log alone is told what the server says, by `faults`: it may quote data.
  Session(async::Executor executor, std::shared_ptr<const DatabaseConfig> config,
          std::shared_ptr<FaultLog> faults);

  Task<std::optional<Fault>> open();
  // Runs it and fills its answer or fault in.
  Task<void> run(JobPtr job);

  Connection& connection() { return *connection_; }
  std::shared_ptr<Connection> shared_connection() { return connection_; }
  bool usable() const { return !connection_->broken(); }
  void give_up() { connection_->break_off(); }
  // As the server has described it; null until it has.
  const StatementPtr& statement() const { return statement_; }

 private:
  Task<std::optional<Fault>> prepare(JobPtr job);
  Task<void> ask_prepared(JobPtr job);
  Task<Connection::Ended> ask(JobPtr job);
  void append_row(const PGresult& result, registry::sql::RowsJson& rows) const;
  void judge(Job& job, Connection::Ended ended);
  void judge_fault(Job& job);

  const std::shared_ptr<const DatabaseConfig> config_;
  const std::shared_ptr<FaultLog> faults_;
  std::shared_ptr<Connection> connection_;
  StatementPtr statement_;
  int prepared_ = 0;  // how often
  // Of the query that runs.
  std::string json_;
  std::size_t rows_ = 0;
  bool too_large_ = false;
};

}  // namespace tanggul::postgres
