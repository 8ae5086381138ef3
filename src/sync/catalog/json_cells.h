#pragma once

#include <string>
#include <vector>

#include "sync/read/findings.h"

namespace tanggul::sync {

// What is kept as JSON in one cell, as text that every engine takes. The same shapes as those that
// `sync read --json` prints.
std::string json_cell(const std::vector<std::string>& texts);
std::string json_cell(const std::vector<readers::Evidence>& evidence);
std::string json_cell(const std::vector<Truncated>& truncated);
std::string json_cell(const std::vector<Skipped>& skipped);
std::string json_cell(const std::vector<StageError>& errors);
std::string json_cell(const std::vector<StageDefect>& defects);
// The rows of a table, a cell for each column.
std::string json_rows(const readers::Table& table);

}  // namespace tanggul::sync
