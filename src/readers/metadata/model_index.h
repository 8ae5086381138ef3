#pragma once

#include "readers/metadata/collector.h"

namespace tanggul::readers {

// The key `model-index` of a card: [{name, results: [{task, dataset, metrics: [{type, value}],
// source}]}]. A row needs a task, a data set and a metric, each with a type or a name, and a value;
// one that lacks any is a defect and the others stay.
void add_model_index(Collector& to, TreeNode model_index);

// A map of metrics, name → value, or a list of {type, name, value}: a row each, like `row`.
void add_metrics(Collector& to, TreeNode metrics, const ModelIndexRow& row);

// A task or data set: its type, or {type, name}.
void set_named(std::string& type, std::string& name, TreeNode node);

// A row's `source`: a URL, or {url, name}.
void set_source(ModelIndexRow& row, TreeNode source);

}  // namespace tanggul::readers
