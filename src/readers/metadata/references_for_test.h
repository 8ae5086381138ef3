#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// "own doi 10.1/x [The title]" for each reference.
inline std::vector<std::string> short_references(const Metadata& metadata) {
  std::vector<std::string> out;
  for (const Reference& r : metadata.references) {
    const char* role = r.role == Reference::Role::own     ? "own"
                       : r.role == Reference::Role::cited ? "cited"
                                                          : "unsaid";
    out.push_back(fmt::format("{} {} {} [{}]", role, r.field, r.text, r.title));
  }
  return out;
}

}  // namespace tanggul::readers
