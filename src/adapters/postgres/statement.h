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
  std::vector<TypeId> types;     // of the columns
  std::vector<TypeId> elements;  // of those that are arrays of a type not the system's own; else 0
};

// Of what PQdescribePrepared brought. `wrong`: the query cannot be answered as configured.
Statement described(const PGresult& result, const registry::sql::Query& query, std::string& wrong);

// What to ask the server of the columns' types, two columns back: each type's number and that of
// its elements. Empty: nothing, all are known.
std::string words_about_types(const Statement& statement);
void take_elements(const PGresult& answer, Statement& statement);

// Brings the values into their canonical form; what is wrong with one of them, if anything is.
std::optional<std::string> fault_of_values(const Statement& statement,
                                           const registry::sql::Query& query,
                                           registry::sql::Values& values);

}  // namespace tanggul::postgres
