#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/types.h"
#include "registry/sql/query.h"
#include "registry/sql/values.h"

namespace tanggul::postgres {

// The one query as the server understands it. Immutable.
struct Statement {
  std::vector<TypeId> parameters;
  std::vector<std::string> columns;
  std::vector<TypeId> types;  // of the columns
};

// Of what PQdescribePrepared brought. `wrong`: the query cannot be answered as configured.
Statement described(const PGresult& result, const registry::sql::Query& query, std::string& wrong);

// Brings the values into their canonical form; what is wrong with one of them, if anything is.
std::optional<std::string> fault_of_values(const Statement& statement,
                                           const registry::sql::Query& query,
                                           registry::sql::Values& values);

// Whether only the server knows what some parameter must look like.
bool judged_by_server(const Statement& statement);

}  // namespace tanggul::postgres
