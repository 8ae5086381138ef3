#include "readers/metadata/eval_results.h"

#include "readers/metadata/flow_text.h"
#include "readers/metadata/model_index.h"
#include "readers/metadata/yaml.h"

namespace tanggul::readers {
namespace {

std::string text_at(TreeNode map, std::string_view key) {
  return std::string(map.find(key).text());
}

void add_entry(Collector& to, TreeNode entry) {
  if (!entry.is_map()) return to.defect(entry.line(), "an evaluation result is no map");
  if (!entry.is_whole()) return;  // its end is a defect already
  const auto drop = [&](const char* what) {
    to.defect(entry.line(), std::string("an evaluation result without ") + what);
  };
  const TreeNode dataset = entry.find("dataset"), value = entry.find("value");
  ModelIndexRow row;
  row.dataset = dataset.is_map() ? text_at(dataset, "id") : std::string(dataset.text());
  row.task = text_at(dataset.is_map() ? dataset : entry, "task_id");
  row.revision = text_at(dataset, "revision");
  row.config = text_at(dataset, "config");
  row.split = text_at(dataset, "split");
  row.metric = text_at(entry, "metric");
  if (row.dataset.empty()) return drop("dataset");
  if (row.task.empty()) return drop("task");
  if (!value.exists()) return drop("value");
  row.value = value_of(value);
  row.verified = entry.find("verifyToken").is_scalar();
  row.line = entry.line();
  set_source(row, entry.find("source"));
  to.add(std::move(row));
}

void read(TreeNode root, Collector& to) {
  if (root.is_map()) return add_entry(to, root);
  if (root.is_scalar()) return to.defect(root.line(), "evaluation results are no list");
  for (std::size_t i = 0; i < root.size(); ++i) add_entry(to, root.at(i));
}

}  // namespace

Metadata read_eval_results(std::string_view yaml) { return collect(read_yaml(yaml, 1), read); }

}  // namespace tanggul::readers
