#include "sync/catalog/pwc_export.h"

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "sync/catalog/cells.h"

namespace tanggul::sync {
namespace {

using ports::SqlRow;

constexpr std::string_view kLinks =
    "SELECT l.paper, p.title, l.url, l.own FROM current_links l "
    "LEFT JOIN papers p ON p.arxiv = l.paper WHERE NOT EXISTS (SELECT 1 FROM tombstones t "
    "WHERE t.repository = l.repository AND t.lifted_at IS NULL) ORDER BY l.paper, l.url";

// What is measured of a task on a data set, from both sources; whose paper it is where the
// repository has one of its own and no more.
constexpr std::string_view kValues =
    "SELECT v.task, v.dataset, v.url, v.model, v.metric, v.value, o.paper, p.title, p.published "
    "FROM (SELECT repository, snapshot, url, 0 AS source, place, model, value, "
    "CASE WHEN task_name <> '' THEN task_name ELSE task END AS task, "
    "CASE WHEN dataset_name <> '' THEN dataset_name ELSE dataset END AS dataset, "
    "CASE WHEN metric_name <> '' THEN metric_name ELSE metric END AS metric "
    "FROM current_model_rows "
    "UNION ALL SELECT repository, snapshot, url, 1, place, subject, value, task, dataset, metric "
    "FROM current_results WHERE measured = 1) AS v "
    "LEFT JOIN (SELECT snapshot, min(paper) AS paper FROM links WHERE own = 1 GROUP BY snapshot "
    "HAVING count(*) = 1) AS o ON o.snapshot = v.snapshot "
    "LEFT JOIN papers p ON p.arxiv = o.paper "
    "WHERE v.task <> '' AND v.dataset <> '' AND v.metric <> '' AND NOT EXISTS "
    "(SELECT 1 FROM tombstones t WHERE t.repository = v.repository AND t.lifted_at IS NULL) "
    "ORDER BY v.task, v.dataset, v.url, v.source, v.place";
enum ValueColumn : std::size_t {
  kTask,
  kDataset,
  kUrl,
  kModel,
  kMetric,
  kValue,
  kPaper,
  kTitle,
  kPublished,
};

void put_paper(JsonWriter& json, const ports::SqlValue& title) {
  json.key("paper_title");
  std::holds_alternative<std::string>(title) ? json.string(text_of(title)) : json.null();
}

void put_empty(JsonWriter& json, std::initializer_list<std::string_view> arrays) {
  for (const std::string_view name : arrays) json.key(name).begin_array().end_array();
}

// Nested as Papers with Code has it, from rows that come in that order. One row of a model is open
// at a time, and the names of a data set's metrics are all that is kept.
class EvaluationTables {
 public:
  explicit EvaluationTables(std::ostream& out) : json_(out) { json_.begin_array(); }

  void add(const SqlRow& row) {
    const bool same_task = open_ && row[kTask] == last_[kTask];
    const bool same_dataset = same_task && row[kDataset] == last_[kDataset];
    const bool same_row = same_dataset && row[kUrl] == last_[kUrl] &&
                          row[kModel] == last_[kModel] && !in_row_.contains(text_of(row[kMetric]));
    if (open_ && !same_row) close_row();
    if (open_ && !same_dataset) close_dataset();
    if (open_ && !same_task) close_task();
    if (!same_task) open_task(row);
    if (!same_dataset) open_dataset(row);
    if (!same_row) open_row(row);
    json_.field(text_of(row[kMetric]), text_of(row[kValue]));
    in_row_.insert(text_of(row[kMetric]));
    metrics_.insert(text_of(row[kMetric]));
    last_ = row;
    open_ = true;
  }

  void finish() {
    if (open_) close_row(), close_dataset(), close_task();
    json_.end_array();
    json_.flush();
  }

 private:
  void open_task(const SqlRow& row) {
    json_.begin_object().field("task", text_of(row[kTask])).field("description", "");
    json_.key("source_link").null();
    put_empty(json_, {"categories", "synonyms", "subtasks"});
    json_.key("datasets").begin_array();
  }
  void close_task() { json_.end_array().end_object(); }

  void open_dataset(const SqlRow& row) {
    metrics_.clear();
    json_.begin_object().field("dataset", text_of(row[kDataset])).field("description", "");
    put_empty(json_, {"dataset_links", "dataset_citations", "subdatasets"});
    json_.key("sota").begin_object().key("rows").begin_array();
  }
  void close_dataset() {
    json_.end_array().key("metrics").begin_array();
    for (const std::string& metric : metrics_) json_.string(metric);
    json_.end_array().end_object().end_object();
  }

  void open_row(const SqlRow& row) {
    in_row_.clear();
    json_.begin_object().field("model_name", text_of(row[kModel]));
    put_paper(json_, row[kTitle]);
    json_.key("paper_url");
    const std::string paper = text_of(row[kPaper]);
    paper.empty() ? json_.null() : json_.string("https://arxiv.org/abs/" + paper);
    json_.key("paper_date");
    const auto published = maybe_time_of(row[kPublished]);
    published ? json_.string(rfc3339(*published).substr(0, 10)) : json_.null();
    json_.key("code_links").begin_array().begin_object();
    json_.field("title", text_of(row[kUrl])).field("url", text_of(row[kUrl]));
    json_.end_object().end_array();
    put_empty(json_, {"model_links"});
    json_.key("uses_additional_data").boolean(false).key("metrics").begin_object();
  }
  void close_row() { json_.end_object().end_object(); }

  JsonWriter json_;
  SqlRow last_;
  bool open_ = false;
  std::set<std::string> metrics_, in_row_;
};

}  // namespace

Expected<std::uint64_t> put_pwc_links(ports::SqlSession& session, std::ostream& out) {
  JsonWriter json(out);
  std::uint64_t count = 0;
  json.begin_array();
  const auto ran = session.run(kLinks, {}, [&](const SqlRow& row) {
    const std::string id = text_of(row[0]);
    json.begin_object().field("paper_url", "https://arxiv.org/abs/" + id);
    put_paper(json, row[1]);
    json.field("paper_arxiv_id", id).field("paper_url_abs", "https://arxiv.org/abs/" + id);
    json.field("paper_url_pdf", "https://arxiv.org/pdf/" + id).field("repo_url", text_of(row[2]));
    json.key("is_official").boolean(whole_of(row[3]) != 0);
    json.key("mentioned_in_paper").null().key("mentioned_in_github").boolean(true);
    json.field("framework", "none").end_object();
    ++count;
  });
  json.end_array();
  json.flush();
  out << '\n';
  if (!ran) return ran.error();
  return count;
}

Expected<std::uint64_t> put_pwc_evaluation_tables(ports::SqlSession& session, std::ostream& out) {
  EvaluationTables tables(out);
  std::uint64_t count = 0;
  const auto ran = session.run(kValues, {}, [&](const SqlRow& row) {
    tables.add(row);
    ++count;
  });
  tables.finish();
  out << '\n';
  if (!ran) return ran.error();
  return count;
}

}  // namespace tanggul::sync
