#include "sync/catalog/insert.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tanggul::sync {
namespace {

constexpr std::size_t kRows = 16;

}  // namespace

Insert::Insert(Statements& statements, std::string_view table, std::string_view columns,
               std::string_view conflict)
    : statements_(statements),
      head_(fmt::format("INSERT INTO {}({}) VALUES ", table, columns)),
      tail_(conflict),
      columns_(static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ',')) + 1),
      full_(text(kRows)) {}

std::string Insert::text(std::size_t rows) const {
  std::string out = head_;
  for (std::size_t i = 0; i < rows * columns_; ++i) {
    const bool first = i % columns_ == 0, last = (i + 1) % columns_ == 0;
    fmt::format_to(std::back_inserter(out), "{}${}{}", first ? (i == 0 ? "(" : ", (") : ", ", i + 1,
                   last ? ")" : "");
  }
  return out + tail_;
}

void Insert::add(ports::SqlRow row) {
  std::move(row.begin(), row.end(), std::back_inserter(values_));
  if (values_.size() < kRows * columns_) return;
  statements_.run(full_, values_);
  values_.clear();
}

// One by one, so that there are two statements a table and not one for each number of rows.
void Insert::finish() {
  const std::string single = text(1);
  for (auto at = values_.begin(); at != values_.end(); at += static_cast<std::ptrdiff_t>(columns_))
    statements_.run(single, {at, at + static_cast<std::ptrdiff_t>(columns_)});
  values_.clear();
}

}  // namespace tanggul::sync
