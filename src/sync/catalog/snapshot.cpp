#include "sync/catalog/snapshot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sync/catalog/cells.h"
#include "sync/catalog/insert.h"
#include "sync/catalog/json_cells.h"
#include "tanggul/base/random.h"

namespace tanggul::sync {
namespace {

using ports::SqlRow;

// In the order of their names, which is everyone's: two that add the same papers never wait for
// each other crosswise.
void put_papers(Statements& db, const Findings& findings) {
  std::vector<std::string> names;
  names.reserve(findings.papers.size());
  for (const readers::Paper& paper : findings.papers) names.push_back(stored(paper.arxiv));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  Insert insert(db, "papers", "arxiv", " ON CONFLICT DO NOTHING");
  for (std::string& name : names) insert.add({std::move(name)});
  insert.finish();
}

// As it is printed: no more is meant.
double rounded(double score) { return std::isfinite(score) ? std::round(score * 100) / 100 : 0; }

void put_links(Statements& db, std::int64_t id, const Findings& findings) {
  Insert insert(db, "links",
                "snapshot, place, paper, version, own, score, mentions, reasons, evidence, file, "
                "line");
  std::int64_t place = 0;
  for (const readers::Paper& paper : findings.papers) {
    const readers::Evidence none;
    const readers::Evidence& first = paper.evidence.empty() ? none : paper.evidence.front();
    const std::optional<std::int64_t> version =
        paper.version > 0 ? std::optional<std::int64_t>(paper.version) : std::nullopt;
    insert.add({id, place++, stored(paper.arxiv), or_null(version), flag(paper.own),
                rounded(paper.score), whole(paper.mentions), json_cell(paper.reasons),
                json_cell(paper.evidence), stored(first.file), std::int64_t{first.line}});
  }
  insert.finish();
}

void put_tables(Statements& db, std::int64_t id, const Findings& findings) {
  Insert insert(db, "result_tables",
                "snapshot, place, file, line, syntax, headings, column_names, cells");
  std::int64_t place = 0;
  for (const auto& [file, value] : findings.result_tables)
    insert.add({id, place++, stored(file), std::int64_t{value.table.line},
                std::string(value.table.html ? "html" : "gfm"), json_cell(value.table.headings),
                json_cell(value.table.columns), json_rows(value.table)});
  insert.finish();
}

void put_results(Statements& db, std::int64_t id, const Findings& findings) {
  Insert insert(db, "results",
                "snapshot, place, table_place, row_at, column_at, subject, task, dataset, metric, "
                "value, number, measured");
  std::int64_t place = 0, table = 0;
  for (const auto& filed : findings.result_tables) {
    for (const readers::TableResult& result : filed.value.results)
      insert.add({id, place++, table, whole(result.row), whole(result.column),
                  stored(result.subject), stored(result.task), stored(result.dataset),
                  stored(result.metric), stored(result.text), or_null(std::optional(result.value)),
                  flag(result.measured)});
    ++table;
  }
  insert.finish();
}

void put_model_rows(Statements& db, std::int64_t id, const Findings& findings) {
  Insert insert(db, "model_rows",
                "snapshot, place, model, task, task_name, dataset, dataset_name, config, split, "
                "revision, metric, metric_name, value, number, verified, source_url, source_name, "
                "file, line");
  std::int64_t place = 0;
  for (const auto& [file, row] : findings.model_index)
    insert.add({id, place++, stored(row.model), stored(row.task), stored(row.task_name),
                stored(row.dataset), stored(row.dataset_name), stored(row.config),
                stored(row.split), stored(row.revision), stored(row.metric),
                stored(row.metric_name), stored(row.value.text), or_null(row.value.number),
                flag(row.verified), stored(row.source_url), stored(row.source_name), stored(file),
                std::int64_t{row.line}});
  insert.finish();
}

void put_models(Statements& db, std::int64_t id, const Findings& findings) {
  Insert insert(db, "models",
                "snapshot, place, main, file, architectures, model_type, class_name, name_or_path, "
                "torch_dtype, transformers_version, hidden_size, num_hidden_layers, vocab_size");
  std::int64_t place = 0;
  const auto add = [&](const Filed<readers::Model>& filed, bool main) {
    const readers::Model& model = filed.value;
    insert.add({id, place++, flag(main), stored(filed.file), json_cell(model.architectures),
                stored(model.model_type), stored(model.class_name), stored(model.name_or_path),
                stored(model.torch_dtype), stored(model.transformers_version),
                or_null(model.hidden_size), or_null(model.num_hidden_layers),
                or_null(model.vocab_size)});
  };
  if (findings.model) add(*findings.model, true);
  for (const auto& model : findings.other_models) add(model, false);
  insert.finish();
}

void drop_rows(Statements& db, std::int64_t id) {
  static constexpr std::array kStatements{
      "DELETE FROM links WHERE snapshot = $1", "DELETE FROM result_tables WHERE snapshot = $1",
      "DELETE FROM results WHERE snapshot = $1", "DELETE FROM model_rows WHERE snapshot = $1",
      "DELETE FROM models WHERE snapshot = $1"};
  for (const char* statement : kStatements) db.run(statement, {id});
}

}  // namespace

bool put_snapshot(Statements& db, const SnapshotKey& key, const Findings& findings) {
  const auto old =
      db.one("SELECT id FROM snapshots WHERE repository = $1 AND commit_id = $2 AND release = $3",
             {key.repository, key.commit, key.release});
  const std::int64_t id =
      old ? whole_of((*old)[0]) : static_cast<std::int64_t>(thread_rng().bits() >> 1);
  if (old) drop_rows(db, id);
  db.run(
      "INSERT INTO snapshots(id, repository, commit_id, release, files_read, bytes_read, "
      "truncated, skipped, errors, defects) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
      "ON CONFLICT (id) DO UPDATE SET files_read = excluded.files_read, "
      "bytes_read = excluded.bytes_read, truncated = excluded.truncated, "
      "skipped = excluded.skipped, errors = excluded.errors, defects = excluded.defects",
      {id, key.repository, key.commit, key.release, whole(findings.files_read),
       whole(findings.bytes_read), json_cell(findings.truncated), json_cell(findings.skipped),
       json_cell(findings.errors), json_cell(findings.defects)});
  put_papers(db, findings);
  put_links(db, id, findings);
  put_tables(db, id, findings);
  put_results(db, id, findings);
  put_model_rows(db, id, findings);
  put_models(db, id, findings);
  return !old;
}

void drop_snapshot(Statements& db, std::int64_t id) {
  drop_rows(db, id);
  db.run("DELETE FROM snapshots WHERE id = $1", {id});
}

}  // namespace tanggul::sync
