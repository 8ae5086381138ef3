#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/failure.h"

namespace tanggul::ports {

// NULL, a whole number, a number, or text in UTF-8.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using SqlRow = std::vector<SqlValue>;

enum class SqlDialect { sqlite, postgres };

// One connection to a database that is written to, in the SQL that the engines have in common:
// parameters are $1, $2, …, times are whole microseconds since 1970. Statements are prepared once
// and kept. Calls block. One thread at a time.
// Fails with limit (busy or a conflict: what was begun is undone, and doing it again may help),
// refused (cannot be reached or opened), reset (the connection was lost; the next call opens it
// anew), io (its disk is full or broken), internal (the statement is wrong for this schema).
class SqlSession {
 public:
  virtual ~SqlSession() = default;

  virtual SqlDialect dialect() const noexcept = 0;

  using EachRow = std::function<void(const SqlRow&)>;
  // How many rows it has changed.
  virtual Expected<std::uint64_t> run(std::string_view statement, const SqlRow& values,
                                      const EachRow& row = {}) = 0;
  // Statements without parameters or rows, parted by semicolons: a schema.
  virtual Expected<void> script(std::string_view statements) = 0;
  // Everything in `work` or nothing, whole for others; `work` is run again after a conflict, so it
  // may do nothing outside. What it fails with comes back.
  virtual Expected<void> transaction(const std::function<Expected<void>()>& work) = 0;
};

}  // namespace tanggul::ports
