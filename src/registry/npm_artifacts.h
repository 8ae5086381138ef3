#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "registry/npm_dists.h"
#include "registry/npm_path.h"

namespace tanggul::registry {

// The file that a tarball's URL names, if it is one that we can stand for: an absolute http(s) URL
// without white space or a user, whose last segment goes through any client unchanged.
std::optional<std::string_view> artifact_file(std::string_view url) noexcept;

struct Artifacts {
  std::vector<ArtifactDigest> known;  // sorted by file
  std::vector<std::string> apart;     // sorted: one name for several URLs
};

// What the dists of `package` say, settled: a file that is named twice has a digest only if both
// agree, and a place only if both have the same. `url` is empty where the artifact lies in its
// standard place below `upstream`.
Artifacts artifacts_of(std::vector<NpmDist> dists, const NpmName& package,
                       std::string_view upstream);

}  // namespace tanggul::registry
