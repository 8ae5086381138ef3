#include "readers/metadata/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tanggul::readers {
namespace {

constexpr std::string_view kMinus = "\u2212";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view s) noexcept {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = s.find_first_not_of(kBlank);
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(kBlank) - first + 1);
}

bool takes(std::string_view& s, std::string_view prefix) noexcept {
  if (!s.starts_with(prefix)) return false;
  s.remove_prefix(prefix.size());
  return true;
}

std::size_t take_digits(std::string_view& s) noexcept {
  const auto end = std::find_if_not(s.begin(), s.end(), is_digit);
  const auto count = static_cast<std::size_t>(end - s.begin());
  s.remove_prefix(count);
  return count;
}

// What may stand behind a number without changing it: a unit of hundred, a spread, a remark.
bool is_remark(std::string_view rest) noexcept {
  rest = trimmed(rest);
  if (rest.empty()) return true;
  if (takes(rest, "\\%") || takes(rest, "%")) rest = trimmed(rest);
  if (rest.empty()) return true;
  for (const std::string_view mark : {"±", "+/-", "+-", "\\pm", "$\\pm", "(", "*", "†", "‡"}) {
    if (rest.starts_with(mark)) return true;
  }
  return false;
}

// number = [ "-" ] int [ frac ] [ exp ]
bool is_json_number(std::string_view s) noexcept {
  takes(s, "-");
  const bool zero = s.starts_with('0');
  const auto digits = take_digits(s);
  if (digits == 0 || (zero && digits > 1)) return false;
  if (takes(s, ".") && take_digits(s) == 0) return false;
  if (takes(s, "e") || takes(s, "E")) {
    if (!takes(s, "+")) takes(s, "-");
    if (take_digits(s) == 0) return false;
  }
  return s.empty();
}

}  // namespace

std::optional<double> parse_number(std::string_view text) noexcept {
  text = trimmed(text);
  bool negative = false;
  if (takes(text, "-") || takes(text, kMinus)) {
    negative = true;
  } else {
    takes(text, "+");
  }
  // from_chars knows "inf", "nan" and a sign of its own.
  if (text.empty() || (!is_digit(text[0]) && text[0] != '.')) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!is_remark(text)) return std::nullopt;
  return negative ? -number : number;
}

Value make_value(std::string_view text, bool plain) {
  Value value{std::string(text), parse_number(text), false};
  value.json_number = plain && value.number && is_json_number(text);
  return value;
}

}  // namespace tanggul::readers
