#include "adapters/postgres/statement.h"

#include <algorithm>

#include "registry/sql/row_json.h"

namespace tanggul::postgres {

namespace sql = registry::sql;

Statement described(const PGresult& result, const sql::Query& query, std::string& wrong) {
  Statement out;
  for (int i = 0; i < PQnparams(&result); ++i) out.parameters.push_back(PQparamtype(&result, i));
  for (int i = 0; i < PQnfields(&result); ++i) {
    out.columns.emplace_back(PQfname(&result, i));
    out.types.push_back(PQftype(&result, i));
  }
  if (out.parameters.size() != query.parameters.size()) wrong = "the query has other parameters";
  if (const std::string name = sql::twice(out.columns); !name.empty())
    wrong = "two columns are called " + name + ", and an object has a name once: write AS";
  return out;
}

std::optional<std::string> fault_of_values(const Statement& statement, const sql::Query& query,
                                           sql::Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    const TypeId type = statement.parameters[i];
    const sql::Type must = parameter_type(type);
    if (!sql::make_canonical(must, *values[i]))
      return query.parameters[i].name + " is no " + std::string(sql::name(must));
    if (!in_range(type, *values[i]))
      return query.parameters[i].name + " is out of its type's range";
  }
  return std::nullopt;
}

bool judged_by_server(const Statement& statement) {
  return std::any_of(statement.parameters.begin(), statement.parameters.end(),
                     [](TypeId t) { return parameter_type(t) == sql::Type::any; });
}

}  // namespace tanggul::postgres
