#pragma once

#include <optional>
#include <string_view>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// The number that a cell or field means: "95.3%" is 95.3 (the sign is not applied), "12.4 ± 0.2"
// and "12.4 (0.2)" are 12.4, "−3" with U+2212 is -3. None where that is a guess: "1,234", "10k",
// "88.1/92.3", "v1.5", "XX.XX", infinities.
std::optional<double> parse_number(std::string_view text) noexcept;

// `plain`: not quoted, hence fit to be a number in JSON.
Value make_value(std::string_view text, bool plain);

}  // namespace tanggul::readers
