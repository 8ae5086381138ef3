#pragma once

#include <string>
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

// What the numbers were taken on: processor, kernel, date and the versions of the programs.
std::string describe_machine();

}  // namespace tanggul::bench
