#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tanggul {

using ByteCount = std::uint64_t;

inline constexpr ByteCount operator""_KiB(unsigned long long n) { return n << 10; }
inline constexpr ByteCount operator""_MiB(unsigned long long n) { return n << 20; }
inline constexpr ByteCount operator""_GiB(unsigned long long n) { return n << 30; }

// Bytes that own themselves and never change once shared.
using SharedBytes = std::shared_ptr<const std::string>;

// ASCII only, as HTTP's names and tokens are.
char ascii_lower(char c) noexcept;
bool iequals(std::string_view a, std::string_view b) noexcept;
std::string to_lower(std::string_view s);
std::string_view trim(std::string_view s) noexcept;  // spaces and tabs at both ends

// What came from outside, fit for a terminal and for a line of a log: control bytes become '?'.
std::string printable(std::string_view text);

std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);
// Each %XX as its byte (RFC 3986 2.1); nullopt where a % is not followed by two hex digits.
std::optional<std::string> from_percent(std::string_view text);

// Decimal digits only, no sign, no overflow; anything else is nullopt.
std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept;

// A hash for tables of keys; stable within a process only.
std::uint64_t hash_bytes(std::string_view bytes) noexcept;

}  // namespace tanggul
