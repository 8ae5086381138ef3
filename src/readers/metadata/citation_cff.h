#pragma once

#include <string_view>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// A CITATION.cff. `preferred-citation` is the authors' own paper; so are the `doi` and `url` of the
// file itself, and those of its `identifiers` that say to be of an article (the others' role is
// unsaid, Software Heritage's are left out); `references` are cited.
Metadata read_citation_cff(std::string_view yaml);

}  // namespace tanggul::readers
