#include "readers/tables/number.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

constexpr std::string_view kUnits[] = {"k",   "m",    "b",   "t",   "g",       "kb",     "mb",
                                       "gb",  "tb",   "mib", "gib", "kib",     "ms",     "s",
                                       "sec", "min",  "h",   "hr",  "hrs",     "hours",  "hour",
                                       "d",   "days", "x",   "fps", "gflops",  "flops",  "px",
                                       "hz",  "khz",  "w",   "mm",  "seconds", "minutes"};

// Marks that may stand before a number or behind it and do not change it.
bool drop_before(std::string_view& text) {
  for (const std::string_view mark : {" ",
                                      "~",
                                      "<",
                                      ">",
                                      "=",
                                      "+",
                                      "≈",
                                      "≤",
                                      "≥",
                                      "$",
                                      "↑",
                                      "↓",
                                      "*",
                                      "(",
                                      "±",
                                      "{",
                                      "\\mathbf{",
                                      "\\textbf{",
                                      "\\underline{",
                                      "\\bf ",
                                      "🥇",
                                      "🥈",
                                      "🥉"})
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

// "30,5" and "0,913": other three digits behind a comma would be thousands.
bool is_decimal_comma(std::string_view number, std::string_view behind) {
  if (!behind.starts_with(',')) return false;
  const std::size_t n = digits_from(behind, 1);
  return n > 0 && (n != 3 || number == "0");
}

// A number with a fraction, or less than nothing: "90.1 91.2", "10 -3", in a cell of two.
bool is_another(std::string_view text) {
  if (text.starts_with('-')) return text.size() > 1 && digit(text[1]);
  const std::size_t n = digits_from(text, 0);
  return n > 0 && n + 1 < text.size() && text[n] == '.' && digit(text[n + 1]);
}

// What makes of the digits before it another number, or none: a date, "4-bit", a range, a ratio, a
// time, thousands parted by blanks, a power. Better none than a wrong one.
bool is_something_else(std::string_view behind, bool fraction) {
  const auto digit_at = [behind](std::size_t at) {
    return at < behind.size() && digit(behind[at]);
  };
  for (const std::string_view power : {"^", "×10", "× 10", "x10", "x 10", "·10", "*10"})
    if (behind.starts_with(power)) return true;
  for (const std::string_view apart : {"–", "’"})
    if (behind.starts_with(apart) && digit_at(apart.size())) return true;
  if (behind.size() < 2) return behind == "_";
  switch (behind[0]) {
    case '-':
      return digit_at(1) || letter(behind[1]);
    case '_':  // "90.1_{pm 0.2}" alone
      return behind.substr(0, 8).find("pm") == std::string_view::npos;
    case ',':
    case ':':
    case '\'':
      return digit_at(1);
    case '/':
      return !fraction && digit_at(1);
    case ' ':
      return is_another(behind.substr(1)) || (!fraction && digits_from(behind, 1) == 3);
    default:
      return false;
  }
}

// "125M", "1.5B", "12k".
double multiple(std::string_view behind) {
  if (behind.empty() || (behind.size() > 1 && (letter(behind[1]) || digit(behind[1])))) return 1;
  switch (behind[0]) {
    case 'k':
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'B':
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 1;
  }
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
               digit(cell[at + 3]) && !number.empty() && number[0] != '0' && !found.fraction) {
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
  std::string_view behind = cell.substr(at);
  if (is_decimal_comma(number, behind) && !found.fraction && number.size() == at) {
    const std::size_t n = digits_from(behind, 1);
    (number += '.') += behind.substr(1, n);
    found.fraction = true;
    behind.remove_prefix(1 + n);
  }
  if (is_something_else(behind, found.fraction)) return std::nullopt;
  const Rest rest = rest_of(behind);
  if (rest.words > 2) return std::nullopt;
  found.sized = rest.unit;
  if (names_something(behind, rest.unit)) return std::nullopt;
  if (std::from_chars(number.data(), number.data() + number.size(), found.value).ec != std::errc())
    return std::nullopt;
  if (const double times = multiple(behind); times > 1) found.value *= times, found.sized = true;
  if (negative) found.value = -found.value;
  return found;
}

}  // namespace tanggul::readers
