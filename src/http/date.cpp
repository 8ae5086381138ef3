#include "http/date.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/bytes.h"

namespace tanggul::http {
namespace {

namespace chrono = std::chrono;

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Takes pieces off the front of a text; after the first that does not fit, ok() stays false.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }

  Scanner& text(std::string_view expected) {
    if (ok_ && iequals(rest_.substr(0, expected.size()), expected))
      rest_.remove_prefix(expected.size());
    else
      ok_ = false;
    return *this;
  }
  Scanner& number(std::size_t digits, int& value) {
    value = 0;
    if (rest_.size() < digits) ok_ = false;
    for (std::size_t i = 0; ok_ && i < digits; ++i) {
      const char c = rest_[i];
      if (c < '0' || c > '9') ok_ = false;
      value = value * 10 + (c - '0');
    }
    if (ok_) rest_.remove_prefix(digits);
    return *this;
  }
  // One of the names, or the first `letters` of one; its index.
  Scanner& name(std::span<const std::string_view> names, std::size_t letters, int& index) {
    for (std::size_t i = 0; ok_ && i < names.size(); ++i) {
      const auto candidate = names[i].substr(0, letters);
      if (!iequals(rest_.substr(0, candidate.size()), candidate)) continue;
      rest_.remove_prefix(candidate.size());
      index = static_cast<int>(i);
      return *this;
    }
    ok_ = false;
    return *this;
  }
  Scanner& time(int& hour, int& minute, int& second) {
    return number(2, hour).text(":").number(2, minute).text(":").number(2, second);
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct Fields {
  int weekday = 0, day = 0, month = 0, year = 0, hour = 0, minute = 0, second = 0;
};

std::optional<Fields> imf_fixdate(std::string_view text) {
  Fields f;
  Scanner s(text);
  s.name(kDays, 3, f.weekday).text(", ").number(2, f.day).text(" ").name(kMonths, 3, f.month);
  s.text(" ").number(4, f.year).text(" ").time(f.hour, f.minute, f.second).text(" GMT");
  return s.ok() && s.at_end() ? std::optional(f) : std::nullopt;
}

int year_of(WallTime t) {
  return static_cast<int>(chrono::year_month_day(chrono::floor<chrono::days>(t)).year());
}

std::optional<Fields> rfc850_date(std::string_view text, WallTime now) {
  Fields f;
  Scanner s(text);
  s.name(kDays, std::string_view::npos, f.weekday).text(", ").number(2, f.day).text("-");
  s.name(kMonths, 3, f.month).text("-").number(2, f.year).text(" ");
  s.time(f.hour, f.minute, f.second).text(" GMT");
  if (!s.ok() || !s.at_end()) return std::nullopt;
  // More than 50 years ahead means the latest such year that has passed (RFC 9110 5.6.7).
  const int current = year_of(now);
  f.year += current / 100 * 100;
  if (f.year > current + 50) f.year -= 100;
  return f;
}

std::optional<Fields> asctime_date(std::string_view text) {
  Fields f;
  Scanner s(text);
  s.name(kDays, 3, f.weekday).text(" ").name(kMonths, 3, f.month).text(" ");
  if (s.next_is(' '))
    s.text(" ").number(1, f.day);
  else
    s.number(2, f.day);
  s.text(" ").time(f.hour, f.minute, f.second).text(" ").number(4, f.year);
  return s.ok() && s.at_end() ? std::optional(f) : std::nullopt;
}

std::optional<WallTime> to_time(const Fields& f) {
  const chrono::year_month_day date{chrono::year(f.year),
                                    chrono::month(static_cast<unsigned>(f.month + 1)),
                                    chrono::day(static_cast<unsigned>(f.day))};
  // 60 is a leap second; it becomes the first second of the next minute.
  if (!date.ok() || f.hour > 23 || f.minute > 59 || f.second > 60) return std::nullopt;
  constexpr auto kFirst = chrono::sys_days(chrono::year(1970) / 1 / 1);
  constexpr auto kLast = chrono::sys_days(chrono::year(2200) / 1 / 1);
  const chrono::sys_seconds exact = chrono::sys_days(date) + chrono::hours(f.hour) +
                                    chrono::minutes(f.minute) + chrono::seconds(f.second);
  return WallTime(std::clamp<chrono::sys_seconds>(exact, kFirst, kLast));
}

void append_padded(std::string& out, int value, int width) {
  const std::string digits = std::to_string(value);
  for (int n = static_cast<int>(digits.size()); n < width; ++n) out += '0';
  out += digits;
}

}  // namespace

std::optional<WallTime> parse_date(std::string_view text, WallTime now) {
  text = trim(text);
  auto fields = imf_fixdate(text);
  if (!fields) fields = rfc850_date(text, now);
  if (!fields) fields = asctime_date(text);
  return fields ? to_time(*fields) : std::nullopt;
}

std::string format_date(WallTime time) {
  const auto second = chrono::floor<chrono::seconds>(time);
  const auto midnight = chrono::floor<chrono::days>(second);
  const chrono::year_month_day date(midnight);
  const chrono::hh_mm_ss clock(second - midnight);
  std::string out;
  out.reserve(29);
  out += kDays[chrono::weekday(midnight).c_encoding()].substr(0, 3);
  out += ", ";
  append_padded(out, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  out += ' ';
  out += kMonths[static_cast<unsigned>(date.month()) - 1];
  out += ' ';
  append_padded(out, static_cast<int>(date.year()), 4);
  out += ' ';
  append_padded(out, static_cast<int>(clock.hours().count()), 2);
  out += ':';
  append_padded(out, static_cast<int>(clock.minutes().count()), 2);
  out += ':';
  append_padded(out, static_cast<int>(clock.seconds().count()), 2);
  out += " GMT";
  return out;
}

}  // namespace tanggul::http
