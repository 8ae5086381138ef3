#include "base/utf8.h"

#include <algorithm>

namespace tanggul {

std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  // Of the second byte the first narrows the range: nothing written too long, no surrogates, and
  // nothing above U+10FFFF.
  const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  return length;
}

bool is_utf8(std::string_view text) noexcept {
  while (const std::size_t length = utf8_length(text)) text.remove_prefix(length);
  return text.empty();
}

std::string to_utf8(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(std::string_view(text).substr(at));
    if (length == 0) text[at] = '?';
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

}  // namespace tanggul
