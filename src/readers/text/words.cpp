#include "readers/text/words.h"

#include <algorithm>

namespace tanggul::readers {

std::vector<std::string> words_of(std::string_view text, std::size_t most) {
  std::vector<std::string> words;
  words.reserve(std::min<std::size_t>(most, 8));
  bool fresh = true;
  for (const char c : text.substr(0, 2048)) {
    const bool letter = (c | 32) >= 'a' && (c | 32) <= 'z', digit = c >= '0' && c <= '9';
    if (!letter && !digit && static_cast<unsigned char>(c) < 0x80) {
      fresh = true;
      continue;
    }
    if (fresh && words.size() == most) return words;
    if (fresh) words.emplace_back();
    fresh = false;
    words.back() += letter ? static_cast<char>(c | 32) : c;
  }
  return words;
}

}  // namespace tanggul::readers
