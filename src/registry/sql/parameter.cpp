#include "registry/sql/parameter.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "base/utf8.h"

namespace tanggul::registry::sql {
namespace {

constexpr std::pair<std::string_view, Type> kWords[] = {
    {"any", Type::any},          {"text", Type::text},           {"integer", Type::integer},
    {"number", Type::number},    {"boolean", Type::boolean},     {"uuid", Type::uuid},
    {"date", Type::date},        {"timestamp", Type::timestamp}, {"string", Type::text},
    {"varchar", Type::text},     {"int", Type::integer},         {"bigint", Type::integer},
    {"smallint", Type::integer}, {"numeric", Type::number},      {"decimal", Type::number},
    {"real", Type::number},      {"float", Type::number},        {"double", Type::number},
    {"bool", Type::boolean},     {"datetime", Type::timestamp},  {"timestamptz", Type::timestamp}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool integer(std::string& value) {
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || at != end) return false;
  char digits[24];
  value.assign(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  return true;
}

bool number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
    if (!all_digits(exponent) || exponent.size() > 4) return false;
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return all_digits(text);
  return all_digits(text.substr(0, point)) && all_digits(text.substr(point + 1));
}

bool boolean(std::string& value) {
  const bool yes = iequals(value, "true") || iequals(value, "t") || value == "1";
  const bool no = iequals(value, "false") || iequals(value, "f") || value == "0";
  if (yes || no) value = yes ? "true" : "false";
  return yes || no;
}

bool uuid(std::string& value) {
  if (value.size() != 36) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    value[i] = ascii_lower(value[i]);
    const bool hex = is_digit(value[i]) || (value[i] >= 'a' && value[i] <= 'f');
    if (dash ? value[i] != '-' : !hex) return false;
  }
  return true;
}

int two(std::string_view text, std::size_t at) {
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

bool date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !all_digits(text.substr(0, 4)) ||
      !all_digits(text.substr(5, 2)) || !all_digits(text.substr(8, 2)))
    return false;
  const int year = two(text, 0) * 100 + two(text, 2);
  const std::chrono::year_month_day day{std::chrono::year(year),
                                        std::chrono::month(static_cast<unsigned>(two(text, 5))),
                                        std::chrono::day(static_cast<unsigned>(two(text, 8)))};
  return year > 0 && day.ok();
}

// Z, or ±hh:mm.
bool zone(std::string_view text) {
  if (text == "Z" || text == "z") return true;
  return text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':' &&
         all_digits(text.substr(1, 2)) && all_digits(text.substr(4, 2)) && two(text, 1) < 16 &&
         two(text, 4) < 60;  // databases know none further away
}

bool timestamp(std::string_view text) {
  if (date(text)) return true;  // its midnight
  if (text.size() < 19 || !date(text.substr(0, 10)) ||
      (text[10] != 'T' && text[10] != 't' && text[10] != ' '))
    return false;
  std::string_view time = text.substr(11);
  if (time[2] != ':' || time[5] != ':' || !all_digits(time.substr(0, 2)) ||
      !all_digits(time.substr(3, 2)) || !all_digits(time.substr(6, 2)) || two(time, 0) > 23 ||
      two(time, 3) > 59 || two(time, 6) > 60)
    return false;
  time.remove_prefix(8);
  if (time.starts_with('.')) {
    const std::size_t end = std::min(time.find_first_not_of("0123456789", 1), time.size());
    if (end < 2) return false;
    time.remove_prefix(end);
  }
  return time.empty() || zone(time);
}

}  // namespace

std::string_view name(Type type) noexcept {
  return std::find_if(std::begin(kWords), std::end(kWords),
                      [&](const auto& word) { return word.second == type; })
      ->first;
}

std::optional<Type> type_of(std::string_view word) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const auto& known) { return known.first == word; });
  if (found == std::end(kWords)) return std::nullopt;
  return found->second;
}

bool make_canonical(Type type, std::string& value) {
  if (value.size() > kLongestValue) return false;
  switch (type) {
    case Type::any:
    case Type::text:
      return value.find('\0') == std::string::npos && is_utf8(value);
    case Type::integer:
      return integer(value);
    case Type::number:
      return number(value);
    case Type::boolean:
      return boolean(value);
    case Type::uuid:
      return uuid(value);
    case Type::date:
      return date(value);
    case Type::timestamp:
      return timestamp(value);
  }
  return false;
}

}  // namespace tanggul::registry::sql
