#include "readers/papers/phrase_set.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tanggul::readers {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The same of both cases of a letter.
std::size_t hash_of_four(const char* bytes) {
  std::uint32_t four;
  std::memcpy(&four, bytes, 4);
  return ((four | 0x20202020U) * 0x9e3779b1U) >> 20;
}

}  // namespace

PhraseSet::PhraseSet(std::string_view phrases) {
  while (!phrases.empty()) {
    const std::size_t end = std::min(phrases.find('|'), phrases.size());
    const std::string_view phrase = phrases.substr(0, end);
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
    if (phrase.size() < 4) throw std::logic_error("a phrase of fewer than four bytes");
    by_first_[static_cast<unsigned char>(phrase[0])].push_back(phrase);
    beginnings_.set(hash_of_four(phrase.data()));
  }
}

template <class Same>
bool PhraseSet::any_in(std::string_view text, Same same) const {
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    if (!beginnings_[hash_of_four(text.data() + at)]) continue;
    const std::string_view rest = text.substr(at);
    for (const std::string_view phrase : by_first_[static_cast<unsigned char>(lower(rest[0]))])
      if (rest.size() >= phrase.size() &&
          std::equal(phrase.begin(), phrase.end(), rest.begin(), same))
        return true;
  }
  return false;
}

bool PhraseSet::in(std::string_view text) const {
  return any_in(text, [](char p, char t) { return p == t; });
}

bool PhraseSet::in_any_case(std::string_view text) const {
  return any_in(text, [](char p, char t) { return p == lower(t); });
}

}  // namespace tanggul::readers
