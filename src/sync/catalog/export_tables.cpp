#include "sync/catalog/export_tables.h"

#include <array>
#include <charconv>

#include "sync/catalog/cells.h"

namespace tanggul::sync {
namespace {

using enum CellKind;

constexpr std::array kRepositories{ExportColumn{"url", "r.url"},
                                   ExportColumn{"forge", "r.forge"},
                                   ExportColumn{"forge_id", "r.forge_id", whole},
                                   ExportColumn{"name", "r.name"},
                                   ExportColumn{"description", "r.description"},
                                   ExportColumn{"default_branch", "r.default_branch"},
                                   ExportColumn{"size", "r.size", whole},
                                   ExportColumn{"commit", "s.commit_id"},
                                   ExportColumn{"release", "s.release"},
                                   ExportColumn{"files_read", "s.files_read", whole},
                                   ExportColumn{"bytes_read", "s.bytes_read", whole},
                                   ExportColumn{"skipped", "s.skipped", json},
                                   ExportColumn{"truncated", "s.truncated", json},
                                   ExportColumn{"errors", "s.errors", json},
                                   ExportColumn{"defects", "s.defects", json},
                                   ExportColumn{"gone", "t.reason"},
                                   ExportColumn{"first_seen", "r.first_seen", time, true},
                                   ExportColumn{"last_seen", "c.last_seen", time, true}};

constexpr std::array kAliases{ExportColumn{"url", "a.url"}, ExportColumn{"repository", "r.url"}};

constexpr std::array kPapers{ExportColumn{"arxiv", "p.arxiv"}, ExportColumn{"title", "p.title"},
                             ExportColumn{"authors", "p.authors", json},
                             ExportColumn{"published", "p.published", time},
                             ExportColumn{"fetched_at", "p.fetched_at", time, true}};

constexpr std::array kLinks{
    ExportColumn{"repository", "x.url"},         ExportColumn{"paper", "x.paper"},
    ExportColumn{"version", "x.version", whole}, ExportColumn{"own", "x.own", flag},
    ExportColumn{"score", "x.score", number},    ExportColumn{"mentions", "x.mentions", whole},
    ExportColumn{"reasons", "x.reasons", json},  ExportColumn{"evidence", "x.evidence", json},
    ExportColumn{"commit", "x.commit_id"},       ExportColumn{"release", "x.release"}};

constexpr std::array kResultTables{ExportColumn{"repository", "x.url"},
                                   ExportColumn{"table", "x.place", whole},
                                   ExportColumn{"file", "x.file"},
                                   ExportColumn{"line", "x.line", whole},
                                   ExportColumn{"syntax", "x.syntax"},
                                   ExportColumn{"headings", "x.headings", json},
                                   ExportColumn{"columns", "x.column_names", json},
                                   ExportColumn{"rows", "x.cells", json},
                                   ExportColumn{"commit", "x.commit_id"},
                                   ExportColumn{"release", "x.release"}};

constexpr std::array kResults{ExportColumn{"repository", "x.url"},
                              ExportColumn{"table", "x.table_place", whole},
                              ExportColumn{"row", "x.row_at", whole},
                              ExportColumn{"column", "x.column_at", whole},
                              ExportColumn{"subject", "x.subject"},
                              ExportColumn{"task", "x.task"},
                              ExportColumn{"dataset", "x.dataset"},
                              ExportColumn{"metric", "x.metric"},
                              ExportColumn{"value", "x.value"},
                              ExportColumn{"number", "x.number", number},
                              ExportColumn{"measured", "x.measured", flag},
                              ExportColumn{"commit", "x.commit_id"},
                              ExportColumn{"release", "x.release"}};

constexpr std::array kModelIndex{ExportColumn{"repository", "x.url"},
                                 ExportColumn{"model", "x.model"},
                                 ExportColumn{"task", "x.task"},
                                 ExportColumn{"task_name", "x.task_name"},
                                 ExportColumn{"dataset", "x.dataset"},
                                 ExportColumn{"dataset_name", "x.dataset_name"},
                                 ExportColumn{"config", "x.config"},
                                 ExportColumn{"split", "x.split"},
                                 ExportColumn{"revision", "x.revision"},
                                 ExportColumn{"metric", "x.metric"},
                                 ExportColumn{"metric_name", "x.metric_name"},
                                 ExportColumn{"value", "x.value"},
                                 ExportColumn{"number", "x.number", number},
                                 ExportColumn{"verified", "x.verified", flag},
                                 ExportColumn{"source_url", "x.source_url"},
                                 ExportColumn{"source_name", "x.source_name"},
                                 ExportColumn{"file", "x.file"},
                                 ExportColumn{"line", "x.line", whole},
                                 ExportColumn{"commit", "x.commit_id"},
                                 ExportColumn{"release", "x.release"}};

constexpr std::array kModels{ExportColumn{"repository", "x.url"},
                             ExportColumn{"main", "x.main", flag},
                             ExportColumn{"file", "x.file"},
                             ExportColumn{"architectures", "x.architectures", json},
                             ExportColumn{"model_type", "x.model_type"},
                             ExportColumn{"class_name", "x.class_name"},
                             ExportColumn{"name_or_path", "x.name_or_path"},
                             ExportColumn{"torch_dtype", "x.torch_dtype"},
                             ExportColumn{"transformers_version", "x.transformers_version"},
                             ExportColumn{"hidden_size", "x.hidden_size", whole},
                             ExportColumn{"num_hidden_layers", "x.num_hidden_layers", whole},
                             ExportColumn{"vocab_size", "x.vocab_size", whole},
                             ExportColumn{"commit", "x.commit_id"},
                             ExportColumn{"release", "x.release"}};

constexpr std::array kTables{
    ExportTable{"repositories",
                "repositories r LEFT JOIN current_snapshots c ON c.repository = r.id "
                "LEFT JOIN snapshots s ON s.id = c.id "
                "LEFT JOIN tombstones t ON t.repository = r.id AND t.lifted_at IS NULL",
                "r.url", "r.id", kRepositories},
    ExportTable{"aliases", "aliases a JOIN repositories r ON r.id = a.repository", "a.url", "r.id",
                kAliases},
    ExportTable{"papers",
                "papers p WHERE EXISTS (SELECT 1 FROM current_links x WHERE x.paper = p.arxiv)",
                "p.arxiv", "", kPapers},
    ExportTable{"links", "current_links x", "x.url, x.place", "x.repository", kLinks},
    ExportTable{"result_tables", "current_result_tables x", "x.url, x.place", "x.repository",
                kResultTables},
    ExportTable{"results", "current_results x", "x.url, x.place", "x.repository", kResults},
    ExportTable{"model_index", "current_model_rows x", "x.url, x.place", "x.repository",
                kModelIndex},
    ExportTable{"models", "current_models x", "x.url, x.place", "x.repository", kModels}};

std::string digits(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace

std::span<const ExportTable> export_tables() { return kTables; }

const ExportTable* find_export_table(std::string_view name) {
  for (const ExportTable& table : kTables)
    if (table.name == name) return &table;
  return nullptr;
}

std::string select_of(const ExportTable& table, bool of_one_repository) {
  std::string out = "SELECT ";
  for (const ExportColumn& column : table.columns) {
    if (&column != table.columns.data()) out += ", ";
    out += column.sql;
  }
  (out += " FROM ") += table.from;
  if (of_one_repository) ((out += " WHERE ") += table.repository) += " = $1";
  return (out += " ORDER BY ") += table.order;
}

void put_json(JsonWriter& json, CellKind kind, const ports::SqlValue& value) {
  if (std::holds_alternative<std::monostate>(value)) {
    json.null();
    return;
  }
  switch (kind) {
    case CellKind::flag:
      json.boolean(whole_of(value) != 0);
      break;
    case CellKind::whole:
      json.number_text(std::to_string(whole_of(value)));
      break;
    case CellKind::number:
      json.number(number_of(value));
      break;
    case CellKind::json:
      json.json_text(text_of(value));
      break;
    case CellKind::text:
    case CellKind::time:
      json.string(cell_text(kind, value));
  }
}

std::string cell_text(CellKind kind, const ports::SqlValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return "";
  switch (kind) {
    case CellKind::flag:
      return whole_of(value) != 0 ? "true" : "false";
    case CellKind::whole:
      return std::to_string(whole_of(value));
    case CellKind::number:
      return digits(number_of(value));
    case CellKind::time:
      return rfc3339(from_micros(whole_of(value)));
    case CellKind::text:
    case CellKind::json:
      break;
  }
  return text_of(value);
}

}  // namespace tanggul::sync
