#pragma once

#include <string>
#include <string_view>

#include "sync/catalog/statements.h"

namespace tanggul::sync {

// Rows of one table, several in a statement: each statement is a journey to the server.
class Insert {
 public:
  // `columns`: their names, parted by commas; `conflict`: what stands behind the values.
  Insert(Statements& statements, std::string_view table, std::string_view columns,
         std::string_view conflict = "");
  void add(ports::SqlRow row);
  void finish();

 private:
  std::string text(std::size_t rows) const;

  Statements& statements_;
  const std::string head_, tail_;
  const std::size_t columns_;
  const std::string full_;
  ports::SqlRow values_;
};

}  // namespace tanggul::sync
