#include "app/sync/findings_json.h"

#include <cmath>
#include <ostream>

#include "base/json_writer.h"

namespace tanggul::app {
namespace {

using sync::Filed;

void put_source(JsonWriter& json, const Source& source, const sync::Pool& pool,
                const sync::Findings& findings) {
  json.key("source").begin_object().field("path", source.path).field("kind", source.kind);
  if (source.kind == "git") {
    json.key("commit");
    source.commit ? json.string(*source.commit) : json.null();
    if (!source.commit) json.field("state", "empty");
    if (!source.remote.empty()) json.field("remote", source.remote);
  }
  json.end_object();
  json.field("pool", pool.name);
  if (!findings.handed_to.empty()) json.field("handed_to", findings.handed_to);
  json.key("files_read").number(findings.files_read);
}

void put_place(JsonWriter& json, const std::string& file, std::uint32_t line) {
  json.field("file", file);
  if (line > 0) json.key("line").number(std::uint64_t{line});
}

void put_paper(JsonWriter& json, const readers::Paper& paper) {
  json.begin_object().field("arxiv", paper.arxiv);
  json.key("version");
  paper.version > 0 ? json.number(std::uint64_t{paper.version}) : json.null();
  json.key("own").boolean(paper.own);
  json.key("score").number(std::round(paper.score * 100) / 100);
  json.key("reasons").begin_array();
  for (const std::string& reason : paper.reasons) json.string(reason);
  json.end_array();
  json.key("mentions").number(paper.mentions);
  json.key("evidence").begin_array();
  for (const readers::Evidence& evidence : paper.evidence) {
    json.begin_object();
    put_place(json, evidence.file, evidence.line);
    json.field("kind", readers::name(evidence.kind)).field("text", evidence.text);
    if (evidence.version > 0) json.key("version").number(std::uint64_t{evidence.version});
    json.end_object();
  }
  json.end_array().end_object();
}

void put_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void put_if(JsonWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.field(name, text);
}

void put_table(JsonWriter& json, const Filed<readers::ResultTable>& filed) {
  const readers::Table& table = filed.value.table;
  json.begin_object();
  put_place(json, filed.file, table.line);
  json.field("syntax", table.html ? "html" : "gfm");
  put_strings(json, "headings", table.headings);
  put_strings(json, "columns", table.columns);
  json.key("rows").begin_array();
  for (const auto& row : table.rows) {
    json.begin_array();
    for (const std::string& cell : row) json.string(cell);
    for (std::size_t c = row.size(); c < table.columns.size(); ++c) json.string("");
    json.end_array();
  }
  json.end_array();
  json.key("results").begin_array();
  for (const readers::TableResult& result : filed.value.results) {
    json.begin_object();
    json.key("row")
        .number(std::uint64_t{result.row})
        .key("column")
        .number(std::uint64_t{result.column});
    put_if(json, "subject", result.subject);
    put_if(json, "task", result.task);
    put_if(json, "dataset", result.dataset);
    put_if(json, "metric", result.metric);
    json.key("value").number(result.value);
    json.field("text", result.text).key("measured").boolean(result.measured).end_object();
  }
  json.end_array().end_object();
}

void put_row(JsonWriter& json, const Filed<readers::ModelIndexRow>& filed) {
  const readers::ModelIndexRow& row = filed.value;
  json.begin_object()
      .field("model", row.model)
      .field("task", row.task)
      .field("dataset", row.dataset)
      .field("metric", row.metric);
  json.key("value");
  row.value.json_number ? json.number_text(row.value.text) : json.string(row.value.text);
  if (!row.value.json_number && row.value.number) json.key("number").number(*row.value.number);
  put_if(json, "task_name", row.task_name);
  put_if(json, "dataset_name", row.dataset_name);
  put_if(json, "metric_name", row.metric_name);
  put_if(json, "config", row.config);
  put_if(json, "split", row.split);
  put_if(json, "revision", row.revision);
  if (row.verified) json.key("verified").boolean(true);
  put_if(json, "source_url", row.source_url);
  put_if(json, "source_name", row.source_name);
  put_place(json, filed.file, row.line);
  json.end_object();
}

void put_count(JsonWriter& json, std::string_view name, const std::optional<std::int64_t>& count) {
  if (count) json.key(name).number_text(std::to_string(*count));
}

void put_model(JsonWriter& json, const Filed<readers::Model>& filed) {
  const readers::Model& model = filed.value;
  json.begin_object().field("file", filed.file);
  if (!model.architectures.empty()) put_strings(json, "architectures", model.architectures);
  put_if(json, "model_type", model.model_type);
  put_if(json, "class_name", model.class_name);
  put_count(json, "hidden_size", model.hidden_size);
  put_count(json, "num_hidden_layers", model.num_hidden_layers);
  put_count(json, "vocab_size", model.vocab_size);
  put_if(json, "torch_dtype", model.torch_dtype);
  put_if(json, "transformers_version", model.transformers_version);
  put_if(json, "name_or_path", model.name_or_path);
  json.end_object();
}

template <class Items, class Put>
void put_all(JsonWriter& json, std::string_view name, const Items& items, Put put) {
  json.key(name).begin_array();
  for (const auto& item : items) put(json, item);
  json.end_array();
}

void put_troubles(JsonWriter& json, const sync::Findings& findings) {
  put_all(json, "skipped", findings.skipped, [](JsonWriter& out, const sync::Skipped& skipped) {
    out.begin_object().field("file", skipped.file).field("reason", skipped.reason).end_object();
  });
  put_all(json, "truncated", findings.truncated, [](JsonWriter& out, const sync::Truncated& cut) {
    out.begin_object().field("file", cut.file);
    out.key("read").number(cut.read).key("size").number(cut.size).end_object();
  });
  put_all(json, "errors", findings.errors, [](JsonWriter& out, const sync::StageError& error) {
    out.begin_object().field("stage", sync::name(error.stage));
    out.field("message", error.message).field("file", error.file).end_object();
  });
  put_all(json, "defects", findings.defects, [](JsonWriter& out, const sync::StageDefect& defect) {
    out.begin_object().field("stage", sync::name(defect.stage)).field("message", defect.message);
    put_place(out, defect.file, defect.line);
    out.end_object();
  });
}

}  // namespace

void put_findings_json(const Source& source, const sync::Pool& pool, const sync::Findings& findings,
                       std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  put_source(json, source, pool, findings);
  put_all(json, "papers", findings.papers, put_paper);
  put_all(json, "result_tables", findings.result_tables, put_table);
  put_all(json, "model_index", findings.model_index, put_row);
  json.key("model");
  if (findings.model)
    put_model(json, *findings.model);
  else
    json.null();
  if (!findings.other_models.empty())
    put_all(json, "other_models", findings.other_models, put_model);
  put_troubles(json, findings);
  json.end_object();
  json.flush();
  out << '\n';
}

}  // namespace tanggul::app
