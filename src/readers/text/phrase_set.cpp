#include "readers/text/phrase_set.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

// Of the first three of four bytes; the same of both cases of a letter.
std::size_t hash_of_three(const char* bytes) {
  std::uint32_t four;
  std::memcpy(&four, bytes, 4);
  if constexpr (std::endian::native == std::endian::little)
    four <<= 8;
  else
    four &= ~0xffU;
  return ((four | 0x20202000U) * 0x9e3779b1U) >> 18;
}

}  // namespace

PhraseSet::PhraseSet(std::string_view phrases) {
  while (!phrases.empty()) {
    const std::size_t end = std::min(phrases.find('|'), phrases.size());
    const std::string_view phrase = phrases.substr(0, end);
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
    if (phrase.size() < 4) throw std::logic_error("a phrase of fewer than four bytes");
    by_first_[static_cast<unsigned char>(phrase[0])].push_back(phrase);
    const std::string padded = std::string(phrase.substr(0, 4)) + ' ';
    beginnings_.set(hash_of_three(padded.data()));
    beginnings_.set(hash_of_three(padded.data() + 1));
  }
}

template <class Same>
bool PhraseSet::any_at(std::string_view rest, Same same) const {
  const auto& phrases = by_first_[static_cast<unsigned char>(lower(rest[0]))];
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
    return rest.size() >= phrase.size() &&
           std::equal(phrase.begin(), phrase.end(), rest.begin(), same);
  });
}

template <class Same>
bool PhraseSet::any_in(std::string_view text, Same same) const {
  std::size_t at = 1;
  for (; at + 4 <= text.size(); at += 2)
    if (beginnings_[hash_of_three(text.data() + at)] &&
        (any_at(text.substr(at - 1), same) || any_at(text.substr(at), same)))
      return true;
  for (--at; at + 4 <= text.size(); ++at)
    if (any_at(text.substr(at), same)) return true;
  return false;
}

bool PhraseSet::in(std::string_view text) const {
  return any_in(text, [](char p, char t) { return p == t; });
}

bool PhraseSet::in_any_case(std::string_view text) const {
  return any_in(text, [](char p, char t) { return p == lower(t); });
}

}  // namespace tanggul::readers
