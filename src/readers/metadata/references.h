#pragma once

#include <string>

#include "readers/metadata/collector.h"

namespace tanggul::readers {

// Adds what a field says of a work: a text, a list of such, or a map that names it by url, doi, id,
// identifier (their keys in any case) and title or name. A map with a title alone is added with an
// empty text.
void add_references(Collector& to, TreeNode work, const std::string& field, Reference::Role role);

}  // namespace tanggul::readers
