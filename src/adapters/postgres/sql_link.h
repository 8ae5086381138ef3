#pragma once

#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/postgres/sql_session.h"

namespace tanggul::postgres {

// One open connection of a SqlSession, with the statements that it has prepared. Not to be used any
// more once it is broken.
class SqlLink {
 public:
  static Expected<std::unique_ptr<SqlLink>> open(const SqlSessionConfig& config);

  // What the server said, or the connection's end, is in `state`: SQLSTATE, empty where nothing.
  struct Fault {
    std::string state;
    Failure failure;
  };
  using Ended = boost::system::result<std::uint64_t, Fault>;  // how many rows were changed
  Ended run(std::string_view statement, const ports::SqlRow& values,
            const ports::SqlSession::EachRow& row);
  Ended script(std::string_view statements);

  bool broken() const { return broken_; }
  bool in_transaction() const;
  bool transaction_failed() const;  // nothing but its end is possible

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;

  explicit SqlLink(PGconn* connection, const SqlSessionConfig& config);
  std::optional<Fault> prepare(std::string_view statement, std::string& name);
  Ended finish(bool sent, const ports::SqlSession::EachRow& row);
  bool flush();
  bool arrived();
  bool wait(short events);
  Fault lost(std::string_view why = "");

  std::unique_ptr<PGconn, Finish> connection_;
  const Duration patience_;  // zero: without end
  bool broken_ = false;
  std::unordered_map<std::string, std::string> names_;  // of prepared statements, by their text
};

// What a failure of that SQLSTATE is to a SqlSession's user.
Errc code_of_state(std::string_view state) noexcept;

}  // namespace tanggul::postgres
