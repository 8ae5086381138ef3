#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tanggul::registry {

// What a document says of one version's artifact, as it says it.
struct NpmDist {
  std::string tarball, integrity, shasum;
};

enum class NpmDocument { packument, manifest };

// The dists of a document, in its order: `versions.*.dist` of a packument, `dist` of a manifest.
// Reads it as a stream of events, so that memory goes to the dists alone. Only strings count; what
// stands elsewhere under the same names does not. bad_response unless it is one JSON object (RFC
// 8259) of bounded depth; as in npm's own reader, half a surrogate pair and broken UTF-8 are no
// fault: readmes are cut anywhere.
Result<std::vector<NpmDist>> read_npm_dists(std::string_view body, NpmDocument kind);

}  // namespace tanggul::registry
