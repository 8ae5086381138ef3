#pragma once

#include <cstdint>
#include <string_view>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// The YAML block at the beginning of a model card, without its `---` lines; `first_line` is the
// line of the card on which it begins. Rows from `model-index`; references, of unsaid role, from
// the keys that name papers and from tags like "arxiv:1706.03762". `base_model` and `datasets` name
// no papers.
Metadata read_front_matter(std::string_view yaml, std::uint32_t first_line);

}  // namespace tanggul::readers
