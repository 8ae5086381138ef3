#include "app/config/units.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace tanggul::app {
namespace {

template <class T>
struct Unit {
  std::string_view name;
  T size;
};

constexpr std::array<Unit<std::uint64_t>, 5> kDurations = {{
    {"ms", 1'000'000ULL},
    {"s", 1'000'000'000ULL},
    {"m", 60'000'000'000ULL},
    {"h", 3'600'000'000'000ULL},
    {"d", 86'400'000'000'000ULL},
}};
constexpr std::array<Unit<std::uint64_t>, 4> kSizes = {{
    {"B", 1},
    {"KiB", 1_KiB},
    {"MiB", 1_MiB},
    {"GiB", 1_GiB},
}};
constexpr std::uint64_t kLongest = 3650ULL * kDurations[4].size;
constexpr std::uint64_t kLargest = 1_GiB << 20;  // 1 PiB

struct Parts {
  std::string_view digits, unit;
};

Parts split(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end)};
}

template <std::size_t N>
std::string names(const std::array<Unit<std::uint64_t>, N>& units) {
  std::string out;
  for (std::size_t i = 0; i < N; ++i) {
    if (i > 0) out += i + 1 < N ? ", " : " or ";
    out += units[i].name;
  }
  return out;
}

// What people write instead: 10MB, 5k, 2min, 1.5h.
std::string_view meant(std::string_view unit) {
  const std::string lower = to_lower(unit);
  static constexpr std::pair<std::string_view, std::string_view> kMeant[] = {
      {"k", "KiB"},   {"kb", "KiB"},   {"kib", "KiB"},   {"m", "MiB"},     {"mb", "MiB"},
      {"mib", "MiB"}, {"g", "GiB"},    {"gb", "GiB"},    {"gib", "GiB"},   {"b", "B"},
      {"sec", "s"},   {"secs", "s"},   {"second", "s"},  {"seconds", "s"}, {"min", "m"},
      {"mins", "m"},  {"minute", "m"}, {"minutes", "m"}, {"hour", "h"},    {"hours", "h"},
      {"day", "d"},   {"days", "d"},   {"msec", "ms"},   {"millis", "ms"}, {"hr", "h"},
  };
  for (const auto& [written, right] : kMeant) {
    if (lower == written) return right;
  }
  return {};
}

template <std::size_t N>
Read<std::uint64_t> read(std::string_view text, const std::array<Unit<std::uint64_t>, N>& units,
                         std::uint64_t most, std::string_view noun, const std::string& like) {
  const auto [digits, unit] = split(text);
  if (digits.empty()) return {{}, fmt::format("is no {}; write one like {}", noun, like)};
  const auto number = parse_decimal(digits);
  if (unit.empty()) {
    const bool zero = number == 0U;
    return {{},
            fmt::format("has no unit; write {}{}", digits,
                        zero && noun == "duration" ? "s" : split(like).unit)};
  }
  for (const auto& known : units) {
    if (unit != known.name) continue;
    if (!number || *number > most / known.size) {
      return {{}, fmt::format("is too large; the most is {}{}", most / known.size, known.name)};
    }
    return {*number * known.size, {}};
  }
  if (unit.front() == '.' || unit.front() == ',') {
    return {{}, fmt::format("is no whole number; write one like {}", like)};
  }
  for (const auto& known : units) {
    if (meant(unit) != known.name) continue;
    return {{}, fmt::format("has the unknown unit {}; write {}{}", unit, digits, known.name)};
  }
  return {{}, fmt::format("has the unknown unit {}; use {}", unit, names(units))};
}

}  // namespace

Read<Duration> read_duration(std::string_view text, Duration like) {
  auto got = read(text, kDurations, kLongest, "duration", write_duration(like));
  if (!got.value) return {{}, std::move(got.wrong)};
  return {Duration(static_cast<Duration::rep>(*got.value)), {}};
}

Read<ByteCount> read_size(std::string_view text, ByteCount like) {
  return read(text, kSizes, kLargest, "size", write_size(like));
}

Read<ByteCount> read_byte_rate(std::string_view text, ByteCount like) {
  constexpr std::string_view kEnd = "/s";
  const std::string example = write_size(like) + "/s";
  if (!text.ends_with(kEnd)) {
    return {{}, fmt::format("is no rate of bytes; write one like {}", example)};
  }
  text.remove_suffix(kEnd.size());
  Read<ByteCount> got = read_size(text, like);
  if (!got.value) got.wrong = fmt::format("is no rate of bytes; write one like {}", example);
  return got;
}

Read<Rate> read_rate(std::string_view text) {
  const std::string wrong = "is no rate; write one like 50/s, 100/m or 1/3s";
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {{}, wrong};
  const auto count = parse_decimal(text.substr(0, slash));
  if (!count || *count > 1'000'000'000) return {{}, wrong};
  const auto [digits, unit] = split(text.substr(slash + 1));
  const std::string span = fmt::format("{}{}", digits.empty() ? "1" : digits, unit);
  const Read<Duration> every = read_duration(span, 1s);
  if (!every.value || *every.value <= Duration::zero()) return {{}, wrong};
  return {Rate{static_cast<double>(*count) / seconds(*every.value), std::string(text)}, {}};
}

std::string write_duration(Duration d) {
  const auto n = static_cast<std::uint64_t>(d.count());
  if (n == 0) return "0s";
  for (std::size_t i = kDurations.size() - 1; i > 0; --i) {
    const auto& [name, size] = kDurations[i];
    const std::uint64_t least = name == "s" ? 1 : 2;
    if (n % size == 0 && n / size >= least) return fmt::format("{}{}", n / size, name);
  }
  return fmt::format("{}ms", n / kDurations[0].size);
}

std::string write_size(ByteCount n) {
  for (std::size_t i = kSizes.size() - 1; i > 0; --i) {
    const auto& [name, size] = kSizes[i];
    if (n > 0 && n % size == 0) return fmt::format("{}{}", n / size, name);
  }
  return fmt::format("{}B", n);
}

std::string write_count(double n) {
  std::string digits = fmt::format("{:.0f}", n);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (auto at = std::ssize(digits) - 3; at > std::ptrdiff_t(first); at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string write_span(Duration d) {
  const auto s = std::max<std::int64_t>(0, d / 1s);
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m {}s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{}h {}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d {}h", s / 86'400, s / 3600 % 24);
}

}  // namespace tanggul::app
