#pragma once

#include <string>
#include <string_view>

namespace tanggul::app {

// What /api/status answers, for people: what is wrong first, then a line for each origin, the
// broken ones on top and with what is known of it below them, then the key patterns of the last
// five minutes. Fits 120 columns. Empty where `json` is no status of a shield; what an older one
// does not tell is "-". Nothing but printable ASCII from outside reaches the terminal.
std::string status_table(std::string_view json, bool colour);

}  // namespace tanggul::app
