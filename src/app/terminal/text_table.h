#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::app {

// One column's text in one row; `colour` is an escape sequence or empty.
struct Cell {
  std::string text;
  const char* colour = "";
};
using Row = std::vector<Cell>;

// Lays out rows in columns as wide as their widest cell, and notes below a row. Printable ASCII
// only: a character is a column.
class TextTable {
 public:
  // The first `left` columns begin at their left side; the others are numbers and end at their
  // right.
  TextTable(Row head, std::size_t left) : left_(left) { add(std::move(head)); }

  void add(Row row) { lines_.push_back({std::move(row), false}); }
  void note(Cell text) { lines_.push_back({{std::move(text)}, true}); }

  std::string text(std::size_t width, bool colour) const;

 private:
  struct Line {
    Row row;
    bool note;
  };

  const std::size_t left_;
  std::vector<Line> lines_;
};

// At most `width` characters of it, "..." being the last of one that was longer.
std::string cut(std::string text, std::size_t width);
std::string painted(const std::string& text, const char* colour, bool wanted);

// Lines fit for a screen: each cut to `columns`, at most `rows` of them, and drawn over what stands
// there from the home position on without a moment's emptiness: each line erases what is left
// behind it, the last one what is left below. Escape sequences of colour take no column.
std::string redrawn(std::string_view text, std::size_t columns, std::size_t rows);

}  // namespace tanggul::app
