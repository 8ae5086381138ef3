#pragma once

#include <memory>

#include "registry/kind.h"

namespace tanggul::registry {

// The npm registry's API: packuments in two forms, version manifests and tarballs through the
// cache, keys and attestations too; publishing, logins, audits and whatever else lies under /-/ is
// passed on. Documents are rewritten so that tarballs are fetched through the same mount, and their
// digests are checked when they are.
std::unique_ptr<Kind> make_npm();

}  // namespace tanggul::registry
