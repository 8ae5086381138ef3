#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tanggul::bench {

// One table of the report: a title, a paragraph of how it was measured, and rows of cells.
struct Table {
  std::string title;
  std::string note;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string to_markdown(const Table& table);

// A table as lines of text that from_lines() reads again: a part's result, kept between two runs.
std::string to_lines(const std::vector<Table>& tables);
std::vector<Table> from_lines(std::string_view text);

// Rows of tables with one title stand in one table, in order.
std::vector<Table> merged(const std::vector<Table>& tables);

// What the numbers were taken on: processor, kernel, date and the versions of the programs.
std::string describe_machine();
std::string one_line_about_machine();  // processor, cores, kernel, date

}  // namespace tanggul::bench
