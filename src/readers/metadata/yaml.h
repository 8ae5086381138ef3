#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "readers/metadata/document.h"

namespace tanggul::readers {

inline constexpr std::size_t kMostYaml = 256_KiB;

// Reads the first document of a YAML text (JSON is such, too), whose first line has the number
// `first_line`. Gives up over 256 KiB, 64 levels, 100 aliases, 200,000 values (those that an alias
// stands for counted each time) or 100,000 brackets and commas. Tags are read over. Time and memory
// are linear in the text.
Document read_yaml(std::string_view text, std::uint32_t first_line);

}  // namespace tanggul::readers
