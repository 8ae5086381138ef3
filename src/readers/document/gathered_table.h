#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/document/place.h"
#include "readers/markup/block.h"
#include "readers/markup/html_scanner.h"
#include "readers/tables/results.h"

namespace tanggul::readers {

// A table of a document as its rows come. Bounded: of 2000 rows, and of
// all tables of a document 20,000 cells; a cell that is missing at the end of a row takes no room.
class GatheredTable {
 public:
  void begin(const BlockSink::Cells& header, std::uint32_t line, const Place& place);
  void add(const BlockSink::Cells& cells);

  const Table& table() const { return table_; }
  bool cut() const { return cut_; }  // there were more rows
  Table take() { return std::exchange(table_, {}); }

 private:
  Table table_;
  std::size_t cells_left_ = 20'000;  // of all tables of the document
  bool cut_ = false;
};

// The same of HTML: of several header rows each column's texts become one.
Table table_of(HtmlTable html, const Place& place);

}  // namespace tanggul::readers
