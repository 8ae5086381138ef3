#include "readers/markup/table_row.h"

#include "readers/markup/line.h"

namespace tanggul::readers {

void split_row(std::string_view line, std::size_t most, std::vector<std::string_view>& cells) {
  cells.clear();
  line = trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size() && cells.size() < most; ++at) {
    if (line[at] == '\\' && at + 1 < line.size() && line[at + 1] == '|')
      ++at;
    else if (line[at] == '|')
      cells.push_back(trim(line.substr(begin, at - begin))), begin = at + 1;
  }
  if (cells.size() < most && begin < line.size()) cells.push_back(trim(line.substr(begin)));
}

std::size_t delimiter_columns(std::string_view line) {
  line = trim(line);
  if (line.find_first_not_of("|:- \t\v\f") != std::string_view::npos) return 0;
  static thread_local std::vector<std::string_view> cells;
  split_row(line, kMostColumns + 1, cells);
  if (cells.size() > kMostColumns) return 0;
  for (std::string_view cell : cells) {
    if (cell.starts_with(':')) cell.remove_prefix(1);
    if (cell.ends_with(':')) cell.remove_suffix(1);
    if (cell.empty() || cell.find_first_not_of('-') != std::string_view::npos) return 0;
  }
  return cells.size();
}

}  // namespace tanggul::readers
