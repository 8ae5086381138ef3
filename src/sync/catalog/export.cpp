#include "sync/catalog/export.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "sync/catalog/csv.h"
#include "sync/catalog/export_tables.h"
#include "sync/catalog/pwc_export.h"

namespace tanggul::sync {
namespace {

using ports::SqlRow;

Expected<void> in_full(Expected<std::uint64_t> ran, std::ostream& out) {
  if (!ran) return ran.error();
  if (!out) return Failure{Errc::io, "what is exported cannot be written"};
  return {};
}

Expected<void> put_json_lines(ports::SqlSession& session, const ExportTable& table, bool times,
                              std::ostream& out) {
  const auto put = [&](const SqlRow& row) {
    JsonWriter json;
    json.begin_object().field("kind", table.name);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const ExportColumn& column = table.columns[i];
      if (column.of_the_run && !times) continue;
      json.key(column.name);
      put_json(json, column.kind, row[i]);
    }
    json.end_object();
    out << json.text() << '\n';
  };
  return in_full(session.run(select_of(table), {}, put), out);
}

Expected<void> put_csv(ports::SqlSession& session, const ExportTable& table, bool times,
                       std::ostream& out) {
  std::string line;
  const auto put_line = [&](const auto& field) {
    line.clear();
    bool first = true;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].of_the_run && !times) continue;
      append_csv_field(field(i), std::exchange(first, false), line);
    }
    out << (line += kCsvLineEnd);
  };
  put_line([&](std::size_t i) { return std::string(table.columns[i].name); });
  const auto put = [&](const SqlRow& row) {
    put_line([&](std::size_t i) { return cell_text(table.columns[i].kind, row[i]); });
  };
  return in_full(session.run(select_of(table), {}, put), out);
}

Failure no_such_table(const std::string& name) {
  std::string known;
  for (const ExportTable& table : export_tables())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", table.name);
  return {Errc::bad_input, fmt::format("there is no table \"{}\"; there are {}", name, known)};
}

Expected<void> export_pwc(ports::SqlSession& session, const std::string& table, std::ostream& out) {
  if (table == "links") return in_full(put_pwc_links(session, out), out);
  if (table == "results") return in_full(put_pwc_evaluation_tables(session, out), out);
  return Failure{Errc::bad_input,
                 "Papers with Code has two files, which are called links and results here"};
}

}  // namespace

Expected<void> export_catalog(Catalog& catalog, const ExportOptions& options, std::ostream& out) {
  const bool json_lines = options.format == ExportFormat::json_lines;
  const std::string name = options.table.empty() && !json_lines ? "links" : options.table;
  if (options.format == ExportFormat::pwc) return export_pwc(catalog.session(), name, out);
  if (name.empty()) {
    for (const ExportTable& table : export_tables())
      if (auto put = put_json_lines(catalog.session(), table, options.times, out); !put) return put;
    return {};
  }
  const ExportTable* const table = find_export_table(name);
  if (table == nullptr) return no_such_table(name);
  return json_lines ? put_json_lines(catalog.session(), *table, options.times, out)
                    : put_csv(catalog.session(), *table, options.times, out);
}

}  // namespace tanggul::sync
