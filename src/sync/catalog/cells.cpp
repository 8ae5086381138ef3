#include "sync/catalog/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/utf8.h"

namespace tanggul::sync {

using ports::SqlValue;

std::string stored(std::string_view text) {
  std::string valid = to_utf8(std::string(text));
  if (valid.find('\0') == std::string::npos) return valid;
  std::string out;
  for (const char c : valid) c == '\0' ? append_utf8(0xfffd, out) : out.push_back(c);
  return out;
}

std::int64_t micros(WallTime time) {
  return std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count();
}
WallTime from_micros(std::int64_t micros) { return WallTime(std::chrono::microseconds(micros)); }

std::string rfc3339(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

SqlValue whole(std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, kMost));
}

SqlValue or_null(const std::optional<std::int64_t>& value) {
  return value ? SqlValue(*value) : SqlValue();
}
SqlValue or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? SqlValue(*value) : SqlValue();
}
SqlValue or_null(const std::optional<std::string>& value) {
  return value ? SqlValue(stored(*value)) : SqlValue();
}
SqlValue or_null(const std::optional<WallTime>& value) {
  return value ? SqlValue(micros(*value)) : SqlValue();
}

std::string text_of(const SqlValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}
std::int64_t whole_of(const SqlValue& value) { return maybe_whole_of(value).value_or(0); }
double number_of(const SqlValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number == nullptr ? static_cast<double>(whole_of(value)) : *number;
}
std::optional<std::int64_t> maybe_whole_of(const SqlValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole == nullptr ? std::nullopt : std::optional(*whole);
}
std::optional<WallTime> maybe_time_of(const SqlValue& value) {
  const auto whole = maybe_whole_of(value);
  return whole ? std::optional(from_micros(*whole)) : std::nullopt;
}

}  // namespace tanggul::sync
