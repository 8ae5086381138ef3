#pragma once

#include <string>
#include <string_view>

namespace tanggul::sync {

// Appends a field of a line (RFC 4180), in quotes where it needs them. A field that a spreadsheet
// would take for a formula, beginning with = + - or @, is data like any other and is not changed:
// "-0.5" is a number, and whoever reads the file with a program must get what was written.
void append_csv_field(std::string_view field, bool first, std::string& line);

inline constexpr std::string_view kCsvLineEnd = "\r\n";

}  // namespace tanggul::sync
