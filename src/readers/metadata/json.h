#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "readers/metadata/document.h"

namespace tanggul::readers {

inline constexpr std::size_t kMostJson = 2_MiB;

// Reads a JSON text (RFC 8259) as its authors write it: NaN and infinities, which Python prints,
// are null; comments and trailing commas are read over. Gives up over 2 MiB, 64 levels or 500,000
// values.
Document read_json(std::string_view text);

}  // namespace tanggul::readers
