#pragma once

#include <iosfwd>
#include <string>

#include "sync/catalog/catalog.h"

namespace tanggul::sync {

enum class ExportFormat {
  json_lines,  // an object a line, its `kind` the name of its table
  csv,         // RFC 4180, with a line of names; one table
  pwc,         // Papers with Code's own: an array of its links, or of its evaluation tables
};

struct ExportOptions {
  ExportFormat format = ExportFormat::json_lines;
  // Of export_tables(). Empty: all of them, of CSV and Papers with Code "links"; the latter knows
  // "results" too, and no others.
  std::string table;
  bool times = false;  // of the catalog's own life too
};

// Writes what is true now, row by row as the database gives it: memory is bounded by the largest
// row. Two catalogs that say the same are the same bytes, on whatever engine, unless times are
// asked for. Each table is of one moment; what is written meanwhile may be in the next one.
// Bad_input: there is no such table; io: `out` takes no more.
Expected<void> export_catalog(Catalog& catalog, const ExportOptions& options, std::ostream& out);

}  // namespace tanggul::sync
