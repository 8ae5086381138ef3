#include "http/range.h"

#include <algorithm>
#include <limits>

namespace tanggul::http {
namespace {

constexpr ByteCount kLargest = std::numeric_limits<ByteCount>::max();

// 1*DIGIT, saturating.
std::optional<ByteCount> position(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  return parse_decimal(digits).value_or(kLargest);
}

// What follows "bytes" and `separator`, a unit's name being without case.
std::optional<std::string_view> in_bytes(std::string_view value, char separator) {
  constexpr std::string_view kUnit = "bytes";
  if (value.size() <= kUnit.size() || !iequals(value.substr(0, kUnit.size()), kUnit) ||
      value[kUnit.size()] != separator)
    return std::nullopt;
  return value.substr(kUnit.size() + 1);
}

std::optional<RangeSpec> parse_spec(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  const auto before = text.substr(0, dash), after = text.substr(dash + 1);
  RangeSpec spec;
  if (!before.empty() && !(spec.first = position(before))) return std::nullopt;
  if (!after.empty() && !(spec.last = position(after))) return std::nullopt;
  if (!spec.first && !spec.last) return std::nullopt;
  if (spec.first && spec.last && *spec.last < *spec.first) return std::nullopt;
  return spec;
}

// Nothing of it is there: nullopt.
std::optional<ByteRange> resolve_one(const RangeSpec& spec, ByteCount length) {
  if (!spec.first) {
    const ByteCount size = std::min(*spec.last, length);
    return size == 0 ? std::nullopt : std::optional(ByteRange{length - size, size});
  }
  if (*spec.first >= length) return std::nullopt;
  const ByteCount last = std::min(spec.last.value_or(kLargest), length - 1);
  return ByteRange{*spec.first, last - *spec.first + 1};
}

}  // namespace

std::optional<std::vector<RangeSpec>> parse_range(std::string_view value) {
  auto rest = in_bytes(trim(value), '=');
  if (!rest) return std::nullopt;
  std::vector<RangeSpec> specs;
  while (!rest->empty()) {
    const auto comma = std::min(rest->find(','), rest->size());
    const auto member = trim(rest->substr(0, comma));
    rest->remove_prefix(std::min(comma + 1, rest->size()));
    if (member.empty()) continue;  // RFC 9110 5.6.1.2
    const auto spec = parse_spec(member);
    if (!spec || specs.size() == kMostRanges) return std::nullopt;
    specs.push_back(*spec);
  }
  if (specs.empty()) return std::nullopt;
  return specs;
}

std::vector<ByteRange> resolve(const std::vector<RangeSpec>& specs, ByteCount length) {
  std::vector<ByteRange> found;
  for (const RangeSpec& spec : specs)
    if (const auto range = resolve_one(spec, length)) found.push_back(*range);
  std::sort(found.begin(), found.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.first < b.first; });
  std::vector<ByteRange> merged;
  for (const ByteRange& range : found) {
    if (!merged.empty() && range.first <= merged.back().end()) {
      ByteRange& before = merged.back();
      before.size = std::max(before.end(), range.end()) - before.first;
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

std::optional<ContentRange> parse_content_range(std::string_view value) {
  const auto rest = in_bytes(trim(value), ' ');
  if (!rest) return std::nullopt;
  const auto dash = rest->find('-'), slash = rest->find('/');
  if (dash == rest->npos || slash == rest->npos || slash < dash) return std::nullopt;
  const auto first = parse_decimal(rest->substr(0, dash));
  const auto last = parse_decimal(rest->substr(dash + 1, slash - dash - 1));
  if (!first || !last || *last < *first || *last == kLargest) return std::nullopt;
  ContentRange out;
  out.range = {*first, *last - *first + 1};
  const auto complete = rest->substr(slash + 1);
  if (complete == "*") return out;
  out.complete = parse_decimal(complete);
  if (!out.complete || *out.complete <= *last) return std::nullopt;
  return out;
}

std::string content_range(const ByteRange& range, ByteCount complete) {
  std::string out = "bytes ";
  out.append(std::to_string(range.first)).append("-").append(std::to_string(range.end() - 1));
  return out.append("/").append(std::to_string(complete));
}

std::string unsatisfied_range(ByteCount complete) { return "bytes */" + std::to_string(complete); }

}  // namespace tanggul::http
