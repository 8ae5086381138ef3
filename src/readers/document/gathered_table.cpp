#include "readers/document/gathered_table.h"

#include <algorithm>

#include "readers/markup/plain_text.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostRows = 2000, kLongestCell = 1024;

Table placed(std::uint32_t line, const Place& place) {
  Table table;
  table.line = line;
  table.headings = place.headings();
  table.announced = place.announces_results();
  return table;
}

void fill(Table& table, HtmlTable& html) {
  std::size_t width = 0;
  for (const auto& row : html.rows) width = std::max(width, row.size());
  if (html.header_rows == 0 || html.header_rows == html.rows.size())
    html.header_rows = std::min<std::size_t>(1, html.rows.size());
  table.columns.resize(width);
  for (std::size_t r = 0; r < html.rows.size(); ++r) {
    html.rows[r].resize(width);
    if (r >= html.header_rows) {
      if (table.rows.size() < kMostRows) table.rows.push_back(std::move(html.rows[r]));
      continue;
    }
    for (std::size_t c = 0; c < width; ++c) {
      std::string& column = table.columns[c];
      const std::string& part = html.rows[r][c];
      if (part.empty() || column == part) continue;
      column += column.empty() ? part : " " + part;
    }
  }
}

}  // namespace

void GatheredTable::begin(const BlockSink::Cells& header, std::uint32_t line, const Place& place) {
  table_ = placed(line, place);
  for (const std::string_view cell : header)
    table_.columns.push_back(markup_text(cell, kLongestCell));
  cut_ = false;
}

void GatheredTable::add(const BlockSink::Cells& cells) {
  if (cut_ || table_.rows.size() >= kMostRows || cells_left_ < cells.size()) {
    cut_ = true;
    return;
  }
  cells_left_ -= cells.size();
  std::vector<std::string> row;
  row.reserve(cells.size());
  for (const std::string_view cell : cells) row.push_back(markup_text(cell, kLongestCell));
  table_.rows.push_back(std::move(row));
}

Table table_of(HtmlTable html, const Place& place) {
  Table table = placed(html.line, place);
  table.html = true;
  fill(table, html);
  return table;
}

}  // namespace tanggul::readers
