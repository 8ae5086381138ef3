#include "readers/metadata/pwc_model_index.h"

#include "readers/metadata/model_index.h"
#include "readers/metadata/references.h"
#include "readers/metadata/yaml.h"

namespace tanggul::readers {
namespace {

void add_imports(Collector& to, TreeNode paths) {
  if (paths.is_scalar() && !paths.text().empty()) to.add_import(paths.text());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (const auto path = paths.at(i).text(); !path.empty()) to.add_import(path);
  }
}

void add_result(Collector& to, TreeNode result, std::string_view model) {
  if (result.is_scalar()) return add_imports(to, result);
  if (!result.is_map()) return to.defect(result.line(), "a result is no map");
  const TreeNode task = result.find_any_case("task"), dataset = result.find_any_case("dataset");
  if (!task.is_whole() || !dataset.is_whole()) return;
  const TreeNode metrics = result.find_any_case("metrics");
  if (!metrics.exists() || metrics.is_null()) {
    return to.defect(result.line(), "a result without metrics");
  }
  ModelIndexRow row;
  row.model = model;
  set_named(row.task, row.task_name, task);
  set_named(row.dataset, row.dataset_name, dataset);
  add_metrics(to, metrics, row);
}

// `kind`: "Models" or "Collections".
void add_model(Collector& to, TreeNode model, const std::string& kind) {
  if (model.is_scalar()) return add_imports(to, model);
  if (!model.is_map()) return to.defect(model.line(), "a model is no map");
  add_references(to, model.find_any_case("paper"), kind + ".Paper", Reference::Role::unsaid);
  const TreeNode results = model.find_any_case("results");
  const auto name = model.find_any_case("name").text();
  if (results.is_map() || results.is_scalar()) add_result(to, results, name);
  for (std::size_t i = 0; i < results.size(); ++i) add_result(to, results.at(i), name);
}

void add_models(Collector& to, TreeNode models, const std::string& kind) {
  if (models.is_map() || models.is_scalar()) add_model(to, models, kind);
  for (std::size_t i = 0; i < models.size(); ++i) add_model(to, models.at(i), kind);
}

void read(TreeNode root, Collector& to) {
  if (root.is_list()) return add_models(to, root, "Models");
  if (!root.is_map()) {
    if (root.is_scalar()) to.defect(root.line(), "the model index is no map");
    return;
  }
  add_imports(to, root.find_any_case("import"));
  const TreeNode models = root.find_any_case("models"),
                 collections = root.find_any_case("collections");
  add_models(to, collections, "Collections");
  add_models(to, models, "Models");
  const bool is_one = !models.exists() && !collections.exists();
  if (is_one && root.find_any_case("name").exists()) add_model(to, root, "Models");
}

}  // namespace

Metadata read_pwc_model_index(std::string_view yaml, std::uint32_t first_line) {
  return collect(read_yaml(yaml, first_line), read);
}

}  // namespace tanggul::readers
