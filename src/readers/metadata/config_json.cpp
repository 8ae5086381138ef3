#include "readers/metadata/config_json.h"

#include <charconv>
#include <initializer_list>

#include "readers/metadata/collector.h"
#include "readers/metadata/json.h"

namespace tanggul::readers {
namespace {

using Keys = std::initializer_list<std::string_view>;

// The first of the spellings whose value is a scalar, or nothing.
TreeNode scalar_at(TreeNode config, Keys keys) {
  for (const TreeNode map : {config, config.find("text_config")}) {
    for (const std::string_view key : keys) {
      if (const TreeNode found = map.find(key); found.is_scalar()) return found;
    }
  }
  return {};
}

std::string text_at(TreeNode config, Keys keys) {
  return std::string(scalar_at(config, keys).text());
}

std::optional<std::int64_t> integer_at(TreeNode config, Keys keys) {
  const auto text = scalar_at(config, keys).text();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string> architectures_of(TreeNode config) {
  std::vector<std::string> out;
  for (const TreeNode map : {config, config.find("text_config")}) {
    const TreeNode names = map.find("architectures");
    if (names.is_scalar()) out.emplace_back(names.text());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names.at(i).is_scalar()) out.emplace_back(names.at(i).text());
    }
    if (!out.empty()) break;
  }
  return out;
}

void read(TreeNode root, Collector& to) {
  if (!root.exists()) return;
  if (!root.is_map()) return to.defect(root.line(), "no JSON object");
  Model model;
  model.architectures = architectures_of(root);
  model.model_type = text_at(root, {"model_type"});
  model.class_name = text_at(root, {"_class_name"});
  model.torch_dtype = text_at(root, {"torch_dtype", "dtype"});
  model.transformers_version = text_at(root, {"transformers_version"});
  model.name_or_path = text_at(root, {"_name_or_path"});
  model.hidden_size = integer_at(root, {"hidden_size", "d_model", "n_embd"});
  model.num_hidden_layers = integer_at(root, {"num_hidden_layers", "n_layer", "num_layers"});
  model.vocab_size = integer_at(root, {"vocab_size"});
  if (model != Model{}) to.set(std::move(model));
}

}  // namespace

Metadata read_config_json(std::string_view json) { return collect(read_json(json), read); }

}  // namespace tanggul::readers
