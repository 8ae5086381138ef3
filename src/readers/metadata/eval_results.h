#pragma once

#include <string_view>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// A file .eval_results/*.yaml of a model's repository: a list of {dataset: {id, task_id, revision},
// value, source}. An entry that lacks the data set, the task or the value is a defect. `metric` is
// empty unless the entry names one.
Metadata read_eval_results(std::string_view yaml);

}  // namespace tanggul::readers
