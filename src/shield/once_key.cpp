#include "shield/once_key.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/utf8.h"
#include "shield/shared_cache.h"

namespace tanggul::shield {
namespace {

constexpr std::size_t kLongestKey = 1024;

bool unreserved(char c) {  // RFC 3986 2.3
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

bool has_control(std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < ' ' || byte == 0x7f) return true;
    // U+0080 to U+009F, which terminals obey too.
    if (byte == 0xc2 && static_cast<unsigned char>(utf8[i + 1]) < 0xa0) return true;
  }
  return false;
}

}  // namespace

bool valid_once_key(std::string_view key) noexcept {
  return !key.empty() && key.size() <= kLongestKey && is_utf8(key) && !has_control(key);
}

std::optional<OncePath> read_once_path(std::string_view target) {
  if (!target.starts_with(kOncePath)) return std::nullopt;
  std::string_view rest = target.substr(kOncePath.size());
  rest = rest.substr(0, rest.find('?'));
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  auto key = from_percent(rest.substr(0, slash));
  if (!key || !valid_once_key(*key)) return std::nullopt;
  return OncePath{std::move(*key), rest.substr(std::min(slash + 1, rest.size()))};
}

std::string once_path(std::string_view key, std::string_view verb) {
  std::string out(kOncePath);
  for (const char c : key) {
    if (unreserved(c)) {
      out += c;
    } else {
      out.append("%").append(to_hex(std::string_view(&c, 1)));
    }
  }
  if (!verb.empty()) out.append("/").append(verb);
  return out;
}

std::string once_cache_key(std::string_view key) { return std::string("@once\x1f").append(key); }

std::string once_id(std::string_view key) { return shared_id(once_cache_key(key)); }

}  // namespace tanggul::shield
