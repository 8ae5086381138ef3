#pragma once

#include <string_view>

#include "registry/kind.h"
#include "registry/npm_path.h"

namespace tanggul::registry {

// Makes every member "tarball" of a packument or version manifest that is an http(s) URL point to
// `base`, and leaves each other byte as it is: unknown members, the order, how numbers are written.
// What the document says of its artifacts (`versions.*.dist`, or `dist` of a manifest) comes along:
// the digests, and the original URL where it is not the standard place below `upstream`.
//
// Files that the document names twice with different digests have none; if their URLs differ too,
// one address of ours cannot stand for both and those URLs stay.
//
// bad_response: no JSON object, or nested deeper than any real one; too_large: rewriting would
// multiply its size; bad_input: `base` is longer than any address. Time linear in the document (and
// n log n in its versions), memory a small multiple of it.
Result<Rewritten> rewrite_npm_document(std::string_view body, const NpmPath& document,
                                       std::string_view base, std::string_view upstream);

}  // namespace tanggul::registry
