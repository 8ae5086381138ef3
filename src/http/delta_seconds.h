#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tanggul::http {

// Where a count of seconds too large to hold ends up (RFC 9111 1.2.2): 68 years, which still adds
// to any date of ours without overflow.
inline constexpr std::chrono::seconds kLongest{std::int64_t{1} << 31};

// 1*DIGIT and nothing else, saturating at kLongest.
std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view text) noexcept;

// What stands in a pair of double quotes, or the text itself. Digits need no unescaping.
std::string_view unquoted(std::string_view text) noexcept;

}  // namespace tanggul::http
