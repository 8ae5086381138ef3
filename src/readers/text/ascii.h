#pragma once

#include <cstddef>
#include <string_view>

namespace tanggul::readers {

// Of ASCII alone, whatever the locale.
constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
constexpr bool word(char c) { return letter(c) || digit(c); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// How many digits stand at that place.
constexpr std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && digit(text[at + n])) ++n;
  return n;
}

}  // namespace tanggul::readers
