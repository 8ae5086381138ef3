#pragma once

#include <string>

#include "readers/metadata/findings.h"
#include "readers/metadata/tree.h"

namespace tanggul::readers {

// A node on one line, for people: a scalar as written, null as "null", lists and maps in YAML's
// flow style, cut off with "…" behind 1000 bytes. A missing one is empty.
std::string flow_text(TreeNode node);

// The value of a metric.
Value value_of(TreeNode node);

}  // namespace tanggul::readers
