#pragma once

#include <optional>
#include <string_view>

#include "registry/kind.h"

namespace tanggul::registry {

// The strongest digest of a Subresource Integrity value (W3C SRI, 3.3): tokens of unknown
// algorithms or of a wrong length are ignored, options after '?' as well. nullopt where none is
// left, and where the strongest algorithm stands there with several values: any of them would do,
// which one digest cannot say. Linear.
std::optional<Expected> parse_integrity(std::string_view value);

// npm's dist.shasum, 40 hexadecimal digits.
std::optional<Expected> parse_shasum(std::string_view hex);

}  // namespace tanggul::registry
