#include "sync/catalog/json_cells.h"

#include "base/json_writer.h"
#include "sync/catalog/cells.h"

namespace tanggul::sync {
namespace {

void put(JsonWriter& json, std::string_view name, std::string_view text) {
  json.field(name, stored(text));
}

void put_place(JsonWriter& json, const std::string& file, std::uint32_t line) {
  put(json, "file", file);
  if (line > 0) json.key("line").number(std::uint64_t{line});
}

void put_item(JsonWriter& json, const std::string& text) { json.string(stored(text)); }
void put_item(JsonWriter& json, const readers::Evidence& evidence) {
  json.begin_object();
  put_place(json, evidence.file, evidence.line);
  put(json, "kind", readers::name(evidence.kind));
  put(json, "text", evidence.text);
  if (evidence.version > 0) json.key("version").number(std::uint64_t{evidence.version});
  json.end_object();
}
void put_item(JsonWriter& json, const Truncated& cut) {
  json.begin_object();
  put(json, "file", cut.file);
  json.key("read").number(cut.read).key("size").number(cut.size).end_object();
}
void put_item(JsonWriter& json, const Skipped& skipped) {
  json.begin_object();
  put(json, "file", skipped.file);
  put(json, "reason", skipped.reason);
  json.end_object();
}
void put_item(JsonWriter& json, const StageError& error) {
  json.begin_object();
  put(json, "stage", name(error.stage));
  put(json, "message", error.message);
  put(json, "file", error.file);
  json.end_object();
}
void put_item(JsonWriter& json, const StageDefect& defect) {
  json.begin_object();
  put(json, "stage", name(defect.stage));
  put(json, "message", defect.message);
  put_place(json, defect.file, defect.line);
  json.end_object();
}

template <class Item>
std::string array(const std::vector<Item>& items) {
  JsonWriter json;
  json.begin_array();
  for (const Item& item : items) put_item(json, item);
  json.end_array();
  return json.text();
}

}  // namespace

std::string json_cell(const std::vector<std::string>& texts) { return array(texts); }
std::string json_cell(const std::vector<readers::Evidence>& evidence) { return array(evidence); }
std::string json_cell(const std::vector<Truncated>& truncated) { return array(truncated); }
std::string json_cell(const std::vector<Skipped>& skipped) { return array(skipped); }
std::string json_cell(const std::vector<StageError>& errors) { return array(errors); }
std::string json_cell(const std::vector<StageDefect>& defects) { return array(defects); }

std::string json_rows(const readers::Table& table) {
  JsonWriter json;
  json.begin_array();
  for (const auto& row : table.rows) {
    json.begin_array();
    for (const std::string& cell : row) json.string(stored(cell));
    for (std::size_t c = row.size(); c < table.columns.size(); ++c) json.string("");
    json.end_array();
  }
  json.end_array();
  return json.text();
}

}  // namespace tanggul::sync
