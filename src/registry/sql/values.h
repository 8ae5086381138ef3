#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::registry::sql {

// What is bound to $1, $2, … in their order; nullopt is NULL.
using Values = std::vector<std::optional<std::string>>;

// The target by which a SQL origin is asked, and what it reads there: "/=42&=a%20b&".
std::string write_values(const Values& values);
std::optional<Values> read_values(std::string_view target);

// What a target asks of a query with so many parameters; nullopt: it is not of that query.
struct Asked {
  Values values;
  bool probe = false;  // "/": only whether the database answers
};
std::optional<Asked> read_asked(std::string_view target, std::size_t parameters);

// All but unreserved characters as %XX (RFC 3986 2.3).
void append_percent(std::string_view text, std::string& out);

}  // namespace tanggul::registry::sql
