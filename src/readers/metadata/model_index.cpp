#include "readers/metadata/model_index.h"

#include "base/bytes.h"
#include "readers/metadata/flow_text.h"

namespace tanggul::readers {
namespace {

std::string optional_text(TreeNode map, std::string_view key) {
  const TreeNode found = map.find_any_case(key);
  return found.is_null() ? std::string() : flow_text(found);
}

bool is_missing(const std::string& type, const std::string& name) {
  return type.empty() && name.empty();
}

// A truth of YAML 1.1.
bool is_true(TreeNode node) {
  return node.is_scalar() && (iequals(node.text(), "true") || iequals(node.text(), "yes"));
}

void add_row(Collector& to, ModelIndexRow row, TreeNode value, std::uint32_t line) {
  const auto drop = [&](const char* what) {
    to.defect(line, std::string("a metric without ") + what);
  };
  if (is_missing(row.metric, row.metric_name)) return drop("type");
  if (!value.exists()) return drop("value");
  if (!value.is_whole()) return;
  if (is_missing(row.task, row.task_name)) return drop("task");
  if (is_missing(row.dataset, row.dataset_name)) return drop("dataset");
  row.value = value_of(value);
  row.line = line;
  to.add(std::move(row));
}

void add_metric(Collector& to, TreeNode metric, ModelIndexRow row) {
  if (!metric.is_map()) return to.defect(metric.line(), "a metric is no map");
  if (!metric.is_whole()) return;  // what ended it is a defect already
  set_named(row.metric, row.metric_name, metric);
  row.verified = is_true(metric.find("verified")) || metric.find("verifyToken").is_scalar();
  if (row.config.empty()) row.config = optional_text(metric, "config");
  add_row(to, std::move(row), metric.find_any_case("value"), metric.line());
}

bool is_one_metric(TreeNode map) {
  return map.find_any_case("type").exists() || map.find_any_case("name").exists() ||
         map.find_any_case("value").exists();
}

void add_named_values(Collector& to, TreeNode map, const ModelIndexRow& like) {
  for (const auto& [name, value] : map.entries()) {
    ModelIndexRow row = like;
    row.metric = name;
    add_row(to, std::move(row), value, value.line());
  }
}

void add_result(Collector& to, TreeNode result, std::string_view model) {
  if (!result.is_map()) return to.defect(result.line(), "a result is no map");
  const TreeNode task = result.find_any_case("task"), dataset = result.find_any_case("dataset");
  if (!task.is_whole() || !dataset.is_whole()) return;  // as above
  ModelIndexRow row;
  row.model = model;
  set_named(row.task, row.task_name, task);
  set_named(row.dataset, row.dataset_name, dataset);
  row.config = optional_text(dataset, "config");
  row.split = optional_text(dataset, "split");
  row.revision = optional_text(dataset, "revision");
  set_source(row, result.find_any_case("source"));
  const TreeNode metrics = result.find_any_case("metrics");
  if (!metrics.exists() || metrics.is_null()) {
    return to.defect(result.line(), "a result without metrics");
  }
  add_metrics(to, metrics, row);
}

void add_results(Collector& to, TreeNode results, std::string_view model) {
  if (results.is_map()) return add_result(to, results, model);
  if (results.is_scalar()) return to.defect(results.line(), "results are no list");
  for (std::size_t i = 0; i < results.size(); ++i) add_result(to, results.at(i), model);
}

void add_model(Collector& to, TreeNode model, std::string_view name) {
  if (!model.is_map()) return to.defect(model.line(), "a model is no map");
  const TreeNode own = model.find_any_case("name");
  add_results(to, model.find_any_case("results"), own.is_scalar() ? own.text() : name);
}

}  // namespace

void set_named(std::string& type, std::string& name, TreeNode node) {
  if (node.is_scalar()) type = node.text();
  if (!node.is_map()) return;
  type = optional_text(node, "type");
  name = optional_text(node, "name");
}

void set_source(ModelIndexRow& row, TreeNode source) {
  if (source.is_list()) source = source.at(0);
  if (source.is_scalar()) row.source_url = source.text();
  row.source_url += optional_text(source, "url");
  row.source_name = optional_text(source, "name");
}

void add_metrics(Collector& to, TreeNode metrics, const ModelIndexRow& row) {
  if (metrics.is_scalar()) return to.defect(metrics.line(), "metrics are no list");
  if (metrics.is_map() && is_one_metric(metrics)) return add_metric(to, metrics, row);
  add_named_values(to, metrics, row);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const TreeNode metric = metrics.at(i);
    if (metric.is_map() && !is_one_metric(metric)) {
      add_named_values(to, metric, row);
    } else {
      add_metric(to, metric, row);
    }
  }
}

void add_model_index(Collector& to, TreeNode model_index) {
  if (model_index.is_scalar()) return to.defect(model_index.line(), "model-index is no list");
  for (std::size_t i = 0; i < model_index.size(); ++i) add_model(to, model_index.at(i), {});
  if (!model_index.is_map()) return;
  const bool is_one = model_index.find("name").exists() || model_index.find("results").exists();
  if (is_one) return add_model(to, model_index, {});
  for (const auto& [name, model] : model_index.entries()) {
    if (model.is_list()) {
      add_results(to, model, name);
    } else {
      add_model(to, model, name);
    }
  }
}

}  // namespace tanggul::readers
