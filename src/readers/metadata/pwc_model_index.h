#pragma once

#include <cstdint>
#include <string_view>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// A model-index.yml of Papers with Code, a file that it imports (YAML or JSON), or the body of an
// HTML comment that begins `Type: model-index`, which may be one model by itself; `first_line` is
// the line of the file on which the text begins. Keys in any case. A row for each metric; each
// Paper of a model or collection is a reference of unsaid role; a model or collection that is a
// path is an import, as is what `Import` says.
Metadata read_pwc_model_index(std::string_view yaml, std::uint32_t first_line);

}  // namespace tanggul::readers
