#pragma once

#include <string>
#include <vector>

#include "table.h"

namespace tanggul::bench {

// A bar for each number.
struct Bars {
  std::string title;
  std::vector<std::pair<std::string, double>> bars;
};

// What the rows "…, ratio to the bare loop" of a table say.
std::vector<Bars> ratios_of(const Table& table);

// One picture of all, readable on light and on dark pages.
std::string to_svg(const std::vector<Bars>& groups, const std::string& caption);

}  // namespace tanggul::bench
