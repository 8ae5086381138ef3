#include "registry/integrity.h"

#include <algorithm>

#include "base/base64.h"
#include "base/bytes.h"

namespace tanggul::registry {
namespace {

struct Algorithm {
  std::string_view name;
  DigestKind kind;
  std::size_t size;
};
constexpr Algorithm kAlgorithms[] = {{"sha1", DigestKind::sha1, 20},
                                     {"sha256", DigestKind::sha256, 32},
                                     {"sha384", DigestKind::sha384, 48},
                                     {"sha512", DigestKind::sha512, 64}};

// Whether `text` is the base64 of `size` bytes. Stricter than the decoder, which skips white space
// and takes padding anywhere for zeros.
bool is_base64(std::string_view text, std::size_t size) noexcept {
  const std::size_t padding = (3 - size % 3) % 3;
  if (text.size() != (size + 2) / 3 * 4) return false;
  if (text.substr(text.size() - padding) != std::string_view("==").substr(0, padding)) return false;
  text.remove_suffix(padding);
  return std::all_of(text.begin(), text.end(), [](char c) {
    const char l = ascii_lower(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

std::optional<Expected> parse_token(std::string_view token) {
  token = token.substr(0, token.find('?'));
  const auto dash = token.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view text = token.substr(dash + 1);
  for (const Algorithm& a : kAlgorithms) {
    if (!iequals(token.substr(0, dash), a.name)) continue;
    if (!is_base64(text, a.size)) return std::nullopt;
    auto bytes = from_base64(text);
    if (!bytes || bytes->size() != a.size) return std::nullopt;
    return Expected{a.kind, std::move(*bytes)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Expected> parse_integrity(std::string_view value) {
  constexpr std::string_view kSpace = " \t\r\n\f";
  std::optional<Expected> best;
  bool several = false;
  while (true) {
    const auto start = value.find_first_not_of(kSpace);
    if (start == std::string_view::npos) break;
    value.remove_prefix(start);
    const auto end = std::min(value.find_first_of(kSpace), value.size());
    auto found = parse_token(value.substr(0, end));
    value.remove_prefix(end);
    if (!found) continue;
    if (!best || found->kind > best->kind) {
      best = std::move(found);
      several = false;
    } else if (found->kind == best->kind && found->value != best->value) {
      several = true;
    }
  }
  if (several) return std::nullopt;
  return best;
}

std::optional<Expected> parse_shasum(std::string_view hex) {
  if (hex.size() != 40) return std::nullopt;
  auto bytes = from_hex(hex);
  if (!bytes) return std::nullopt;
  return Expected{DigestKind::sha1, std::move(*bytes)};
}

}  // namespace tanggul::registry
