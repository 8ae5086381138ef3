#pragma once

#include <string>

#include "app/command_line.h"
#include "app/url.h"
#include "base/result.h"

namespace tanggul::app {

struct StatusQuery {
  std::string admin = "http://127.0.0.1:8081";
  std::string token;  // of the admin port; empty: none
};

// Asks the admin port of a running shield and prints a table of its origins, or the answer as it
// is. Blocks for at most 5 s. The exit status.
int show_status(const StatusQuery& query, bool as_json, const Console& console);

// The table alone, of the JSON that /api/status answers; empty where that is not what `json` holds.
std::string status_table(std::string_view json, bool colour);

}  // namespace tanggul::app
