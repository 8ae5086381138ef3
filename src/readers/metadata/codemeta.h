#pragma once

#include <string_view>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// A codemeta.json (JSON-LD; one object, or several in a list or `@graph`). `referencePublication`
// is the authors' own paper; the roles of `citation`, `identifier` and `codeRepository` are unsaid.
Metadata read_codemeta(std::string_view json);

}  // namespace tanggul::readers
