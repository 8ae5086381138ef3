#include "readers/papers/phrase_set.h"

#include <algorithm>

namespace tanggul::readers {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool begins_with(std::string_view text, std::string_view phrase) {
  return text.size() >= phrase.size() && std::equal(phrase.begin(), phrase.end(), text.begin(),
                                                    [](char p, char t) { return p == lower(t); });
}

}  // namespace

PhraseSet::PhraseSet(std::string_view phrases) {
  while (!phrases.empty()) {
    const std::size_t end = std::min(phrases.find('|'), phrases.size());
    const std::string_view phrase = phrases.substr(0, end);
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
    by_first_[static_cast<unsigned char>(phrase[0])].push_back(phrase);
    begins_[static_cast<unsigned char>(phrase[0])] = true;
  }
}

bool PhraseSet::in(std::string_view text) const {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (!begins_[first]) continue;
    for (const std::string_view phrase : by_first_[first])
      if (text.substr(at).starts_with(phrase)) return true;
  }
  return false;
}

bool PhraseSet::in_any_case(std::string_view text) const {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto first = static_cast<unsigned char>(lower(text[at]));
    if (!begins_[first]) continue;
    for (const std::string_view phrase : by_first_[first])
      if (begins_with(text.substr(at), phrase)) return true;
  }
  return false;
}

}  // namespace tanggul::readers
