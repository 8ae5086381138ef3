#include "readers/tables/number.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace tanggul::readers {
namespace {

constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

constexpr std::string_view kUnits[] = {"k",   "m",    "b",   "t",   "g",       "kb",     "mb",
                                       "gb",  "tb",   "mib", "gib", "kib",     "ms",     "s",
                                       "sec", "min",  "h",   "hr",  "hrs",     "hours",  "hour",
                                       "d",   "days", "x",   "fps", "gflops",  "flops",  "px",
                                       "hz",  "khz",  "w",   "mm",  "seconds", "minutes"};

// Marks that may stand before a number or behind it and do not change it.
bool drop_before(std::string_view& text) {
  for (const std::string_view mark :
       {" ", "~", "<", ">", "=", "+", "≈", "≤", "≥", "$", "↑", "↓", "*", "(", "±", "≥"})
    if (text.starts_with(mark)) {
      text.remove_prefix(mark.size());
      return true;
    }
  return false;
}

// How many letters stand outside of brackets, and whether the first word is a unit.
struct Rest {
  std::size_t words = 0;
  bool unit = false;
};
Rest rest_of(std::string_view text) {
  Rest rest;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (!letter(c)) {
      ++at;
      continue;
    }
    std::size_t n = 0;
    std::string word;
    while (at + n < text.size() && letter(text[at + n]))
      word += static_cast<char>(text[at + n++] | 32);
    if (depth <= 0) {
      ++rest.words;
      if (rest.words == 1)
        rest.unit = std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
    }
    at += n;
  }
  return rest;
}

// "3D", "7x7", "50th": what goes on at once is no unit, or goes on with digits.
bool names_something(std::string_view behind, bool unit) {
  if (behind.empty() || !letter(behind[0])) return false;
  std::size_t n = 0;
  while (n < behind.size() && letter(behind[n])) ++n;
  return !unit || behind[0] == 'D' || (n < behind.size() && digit(behind[n]));
}

}  // namespace

std::optional<CellNumber> cell_number(std::string_view cell) {
  while (drop_before(cell)) {
  }
  bool negative = false;
  if (cell.starts_with('-') || cell.starts_with("−") || cell.starts_with("–")) {
    negative = true;
    cell.remove_prefix(cell[0] == '-' ? 1 : 3);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
  }
  std::string number;
  std::size_t at = 0;
  CellNumber found;
  for (; at < cell.size(); ++at) {
    const char c = cell[at];
    if (digit(c)) {
      number += c;
    } else if (c == ',' && at + 3 < cell.size() && digit(cell[at + 1]) && digit(cell[at + 2]) &&
               digit(cell[at + 3]) && !number.empty() && !found.fraction) {
      continue;
    } else if (c == '.' && !found.fraction && at + 1 < cell.size() && digit(cell[at + 1])) {
      if (number.empty()) number = "0";
      number += '.', found.fraction = true;
    } else if (c == '.' && found.fraction && at + 1 < cell.size() && digit(cell[at + 1])) {
      return std::nullopt;  // a version
    } else {
      break;
    }
  }
  if (number.empty() || number.size() > 32) return std::nullopt;
  if (at + 1 < cell.size() && (cell[at] | 32) == 'e' &&
      (digit(cell[at + 1]) || cell[at + 1] == '-' || cell[at + 1] == '+')) {
    std::size_t end = at + 2;
    while (end < cell.size() && digit(cell[end])) ++end;
    if (digit(cell[end - 1]) && end - at <= 5) {
      number += 'e';
      number += cell.substr(cell[at + 1] == '+' ? at + 2 : at + 1,
                            end - at - (cell[at + 1] == '+' ? 2 : 1));
      at = end;
    }
  }
  const std::string_view behind = cell.substr(at);
  // "2021-05-01", "12/05": no number; "4-bit" neither.
  if (!behind.empty() && behind[0] == '-' && behind.size() > 1 &&
      (digit(behind[1]) || letter(behind[1])))
    return std::nullopt;
  if (!behind.empty() && behind[0] == '_') return std::nullopt;
  const Rest rest = rest_of(behind);
  if (rest.words > 2) return std::nullopt;
  found.sized = rest.unit;
  if (names_something(behind, rest.unit)) return std::nullopt;
  if (std::from_chars(number.data(), number.data() + number.size(), found.value).ec != std::errc())
    return std::nullopt;
  if (negative) found.value = -found.value;
  return found;
}

}  // namespace tanggul::readers
