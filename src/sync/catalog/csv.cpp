#include "sync/catalog/csv.h"

namespace tanggul::sync {

void append_csv_field(std::string_view field, bool first, std::string& line) {
  if (!first) line += ',';
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += field;
    return;
  }
  line += '"';
  for (const char c : field) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace tanggul::sync
