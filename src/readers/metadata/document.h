#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "readers/metadata/findings.h"
#include "readers/metadata/tree.h"

namespace tanggul::readers {

// What a parser made of a text. After an error, or a defect of syntax, the tree is what came
// before.
struct Document {
  std::size_t size = 0;  // of the text
  Tree tree;
  std::vector<Defect> defects;
  std::optional<std::string> error;
};

}  // namespace tanggul::readers
