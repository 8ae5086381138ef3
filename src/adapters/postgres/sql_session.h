#pragma once

#include <memory>
#include <string>

#include "ports/sql_session.h"
#include "tanggul/base/clock.h"

namespace tanggul::postgres {

struct SqlSessionConfig {
  std::string address;  // postgres://user:password@host:port/name?…, as libpq takes it
  Duration connect = 10s;
  // The server ends a statement after this, its rows' way here included; zero: never.
  Duration statement = 30s;
  Duration lock = 10s;    // for what another session has locked; zero: as long as the statement
  Duration silence = 5s;  // of a server that ought to have answered by then
};

// Blocking, in read-committed transactions. The connection is opened by the first call that needs
// one; after it was lost the call fails with reset, and the next one opens it anew. What came of a
// COMMIT that is lost on its way nobody knows: work has to be such that doing it twice is well. The
// type of each parameter has to follow from where it stands. Refused: the address is none.
Expected<std::unique_ptr<ports::SqlSession>> open_sql_session(SqlSessionConfig config);

}  // namespace tanggul::postgres
