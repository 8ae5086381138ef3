#include "http/delta_seconds.h"

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::http {

std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view text) noexcept {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  const auto value = parse_decimal(text);  // digits only: nullopt here means too many of them
  const auto longest = static_cast<std::uint64_t>(kLongest.count());
  return std::chrono::seconds(
      static_cast<std::int64_t>(std::min(value.value_or(longest), longest)));
}

std::string_view unquoted(std::string_view text) noexcept {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

}  // namespace tanggul::http
