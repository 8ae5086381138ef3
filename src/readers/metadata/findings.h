#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tanggul::readers {

// A measured value: what the author wrote, and apart from it the number that is meant.
struct Value {
  std::string text;              // a list or map is written in flow style
  std::optional<double> number;  // finite; none for "XX.XX", null, lists
  bool json_number = false;      // `text` was not quoted and is a JSON number (RFC 8259 6)
};

// One metric of one model on one data set. What the author did not say is empty.
struct ModelIndexRow {
  std::string model;
  std::string task, task_name;  // type and name, of data set and metric too
  std::string dataset, dataset_name;
  std::string config, split, revision;
  std::string metric, metric_name;
  Value value;
  bool verified = false;
  std::string source_url, source_name;
  std::uint32_t line = 0;  // of the metric, or of the entry that is a row by itself
};

// A field that names a work. Identifiers are not looked for here: `text` is a URL, a DOI, an id or
// free text, as written; empty where only the title is known.
struct Reference {
  enum class Role { own, cited, unsaid };
  Role role = Role::unsaid;
  std::string field;  // "preferred-citation.doi"
  std::string text;
  std::string title;
  std::uint32_t line = 0;
};

// What a model's config.json says of the model.
struct Model {
  std::vector<std::string> architectures;
  std::string model_type, class_name, torch_dtype, transformers_version, name_or_path;
  std::optional<std::int64_t> hidden_size, num_hidden_layers, vocab_size;

  bool operator==(const Model&) const = default;
};

// The input is imperfect; what else it says was read.
struct Defect {
  std::uint32_t line = 0;
  std::string message;
};

struct Metadata {
  std::vector<ModelIndexRow> rows;
  std::vector<Reference> references;
  std::optional<Model> model;
  std::vector<std::string> imports;  // paths of further files, as written
  std::vector<Defect> defects;       // at most 100, then one that says how many more
  std::optional<std::string> error;  // we gave up, over a limit; what came before it is kept
};

}  // namespace tanggul::readers
