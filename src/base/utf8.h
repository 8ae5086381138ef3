#pragma once

#include <string>
#include <string_view>

namespace tanggul {

// How many bytes the character has that `text` begins with (RFC 3629); 0: it begins with none.
std::size_t utf8_length(std::string_view text) noexcept;
bool is_utf8(std::string_view text) noexcept;
// The first `most` bytes, or up to three fewer: no character is cut.
std::string_view utf8_prefix(std::string_view text, std::size_t most) noexcept;
// Appends the character of that number; U+FFFD for what is none: 0, surrogates, over U+10FFFF.
void append_utf8(char32_t character, std::string& out);
// A byte that belongs to no character becomes '?': what is sent as JSON is UTF-8 (RFC 8259 8.1).
std::string to_utf8(std::string text);

}  // namespace tanggul
