#include "readers/document/named_references.h"

#include <algorithm>

#include "base/bytes.h"
#include "readers/document/surroundings.h"
#include "readers/markup/plain_text.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostReferences = 4096;

// "[1]", the mark of a reference.
bool has_number(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('[', at)) != std::string_view::npos; ++at)
    if (at + 2 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9' &&
        (text[at + 2] == ']' || (at + 3 < text.size() && text[at + 3] == ']')))
      return true;
  return false;
}

bool has_name(std::string_view text) { return text.find("][") != std::string_view::npos; }

}  // namespace

bool NamedReferences::uses_any(std::string_view text) { return has_name(text) || has_number(text); }

void NamedReferences::remember(std::string_view text, const std::vector<Span>& spans,
                               const Place& place) {
  if (has_name(text)) remember_names(text, spans, place);
  if (has_number(text)) remember_numbers(text, spans, place);
}

// The same name many times over says nothing new.
Signs* NamedReferences::to_remember(std::string name) {
  if (name.empty() || name[0] == '^') return nullptr;
  auto found = used_.find(name);
  if (found == used_.end()) {
    if (used_.size() >= kMostReferences) return nullptr;
    found = used_.emplace(std::move(name), Used{}).first;
  }
  return ++found->second.times <= 3 ? &found->second.signs : nullptr;
}

void NamedReferences::remember_names(std::string_view text, const std::vector<Span>& spans,
                                     const Place& place) {
  for (std::size_t at = 0; (at = text.find("][", at)) != std::string_view::npos; at += 2) {
    const std::size_t end = text.substr(0, at + 128).find(']', at + 2);
    Signs* const signs = end == std::string_view::npos
                             ? nullptr
                             : to_remember(to_lower(text.substr(at + 2, end - at - 2)));
    if (signs == nullptr) continue;
    const std::size_t from = at > 300 ? at - 300 : 0;
    const std::size_t open = text.substr(from, at - from).rfind('[');
    if (open == std::string_view::npos) continue;
    const std::string label = markup_text(text.substr(from + open + 1, at - from - open - 1));
    const Surroundings near = around(text, from + open, from + open, spans);
    *signs |= place.of_mention({near.before, label});
  }
}

void NamedReferences::remember_numbers(std::string_view text, const std::vector<Span>& spans,
                                       const Place& place) {
  for (std::size_t at = 0; (at = text.find('[', at)) != std::string_view::npos; ++at) {
    const std::size_t end = text.substr(0, at + 4).find(']', at + 2);
    if (end == std::string_view::npos || at == 0 || text[at - 1] == '\n') continue;
    const std::string_view number = text.substr(at + 1, end - at - 1);
    if (number.find_first_not_of("0123456789") != std::string_view::npos) continue;
    Signs* const signs = to_remember(std::string(number));
    if (signs == nullptr) continue;
    const Surroundings near = around(text, at, at, spans);
    *signs |= place.of_mention({near.before, {}}) & ~static_cast<Signs>(Sign::named_as_title);
  }
}

Signs NamedReferences::of_definition(std::string_view text, std::size_t at) const {
  if (used_.empty()) return 0;
  // The nearest line above that begins "[name]", at most eight lines up.
  std::size_t end = at;
  for (int up = 0; up < 8; ++up) {
    const std::size_t from = end > 512 ? end - 512 : 0;
    const std::size_t newline = text.substr(from, end - from).rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? from : from + newline + 1;
    if (text[begin] == '[') {
      const std::string_view line = text.substr(begin, 512);
      const auto found =
          used_.find(to_lower(line.substr(1, std::min(line.find(']'), line.size()) - 1)));
      return found == used_.end() ? 0 : found->second.signs;
    }
    if (newline == std::string_view::npos) return 0;
    end = begin - 1;
  }
  return 0;
}

bool NamedReferences::is_listed(std::string_view text, std::size_t at) {
  const std::size_t from = at > 600 ? at - 600 : 0;
  std::string_view window = text.substr(from, at - from);
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    std::string_view line = window.substr(begin == 0 ? 0 : begin + 1, 8);
    while (line.starts_with('\\') || line.starts_with(' ')) line.remove_prefix(1);
    if ((begin > 0 || from == 0) && line.size() > 2 && line[0] == '[' && line[1] >= '0' &&
        line[1] <= '9' &&
        (line[2] == ']' || line[2] == '\\' || (line.size() > 3 && line[3] == ']')))
      return true;
    begin = window.find('\n', begin + 1);
  }
  return false;
}

}  // namespace tanggul::readers
