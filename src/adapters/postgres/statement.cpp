#include "adapters/postgres/statement.h"

#include <cstdlib>

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
  out.elements.resize(out.types.size());
  if (out.parameters.size() != query.parameters.size()) wrong = "the query has other parameters";
  if (const std::string name = sql::twice(out.columns); !name.empty())
    wrong = "two columns are called " + name + ", and an object has a name once: write AS";
  return out;
}

std::string words_about_types(const Statement& statement) {
  std::string list;
  for (const TypeId type : statement.types)
    if (!is_known(type)) list.append(list.empty() ? "" : ",").append(std::to_string(type));
  if (list.empty()) return list;
  return "SELECT oid, typelem FROM pg_catalog.pg_type WHERE typcategory = 'A' AND typlen = -1 AND "
         "oid IN (" +
         list + ")";
}

void take_elements(const PGresult& answer, Statement& statement) {
  const auto number = [&](int row, int column) {
    return static_cast<TypeId>(std::strtoul(PQgetvalue(&answer, row, column), nullptr, 10));
  };
  for (int row = 0; row < PQntuples(&answer); ++row)
    for (std::size_t i = 0; i < statement.types.size(); ++i)
      if (statement.types[i] == number(row, 0)) statement.elements[i] = number(row, 1);
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

}  // namespace tanggul::postgres
