#include "registry/sql/values.h"

#include "base/bytes.h"

namespace tanggul::registry::sql {

void append_percent(std::string_view text, std::string& out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    const auto b = static_cast<unsigned char>(c);
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      out.append(1, '%').append(1, kDigits[b >> 4]).append(1, kDigits[b & 15]);
    }
  }
}

std::string write_values(const Values& values) {
  std::string out = "/";
  for (const auto& value : values) {
    if (value) {
      out += '=';
      append_percent(*value, out);
    }
    out += '&';
  }
  return out;
}

std::optional<Values> read_values(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  target.remove_prefix(1);
  Values out;
  while (!target.empty()) {
    const std::size_t end = target.find('&');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view one = target.substr(0, end);
    target.remove_prefix(end + 1);
    if (one.empty()) {
      out.emplace_back();
      continue;
    }
    auto value = one.starts_with('=') ? from_percent(one.substr(1)) : std::nullopt;
    if (!value) return std::nullopt;
    out.emplace_back(std::move(*value));
  }
  return out;
}

std::optional<Asked> read_asked(std::string_view target, std::size_t parameters) {
  auto values = read_values(target);
  if (!values) return std::nullopt;
  const bool probe = values->empty() && parameters > 0;
  if (!probe && values->size() != parameters) return std::nullopt;
  return Asked{std::move(*values), probe};
}

}  // namespace tanggul::registry::sql
