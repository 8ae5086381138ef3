#include "adapters/beast/quick_head.h"

#include <array>

#include "base/bytes.h"

namespace tanggul::beast {
namespace {

enum : unsigned char { kToken = 1, kTarget = 2, kValue = 4, kAuthority = 8 };

constexpr std::string_view kAlphanumeric =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// What each character may be part of: RFC 9110 5.6.2, RFC 3986 3.2.2; of targets and values what is
// visible, and blanks in values.
constexpr std::array<unsigned char, 256> make_table() {
  std::array<unsigned char, 256> table{};
  const auto add = [&](std::string_view characters, unsigned char what) {
    for (const char c : characters) table[static_cast<unsigned char>(c)] |= what;
  };
  for (unsigned c = 0x21; c < 0x7f; ++c) table[c] |= c == '#' ? kValue : kTarget | kValue;
  add(" \t", kValue);
  add(kAlphanumeric, kToken | kAuthority);
  add("!#$%&'*+-.^_`|~", kToken);
  add("-._~%!$&'()*+,;=:[]", kAuthority);
  return table;
}
constexpr auto kTable = make_table();

bool is(char c, unsigned char what) noexcept {
  return (kTable[static_cast<unsigned char>(c)] & what) != 0;
}

// The longest beginning made of such characters; `rest` goes on behind it.
std::string_view take(std::string_view& rest, unsigned char what) noexcept {
  std::size_t n = 0;
  while (n < rest.size() && is(rest[n], what)) ++n;
  const std::string_view taken = rest.substr(0, n);
  rest.remove_prefix(n);
  return taken;
}

bool skip(std::string_view& rest, std::string_view what) noexcept {
  if (!rest.starts_with(what)) return false;
  rest.remove_prefix(what.size());
  return true;
}

// A field that says how the message or the connection goes on (RFC 9110 7.6.1, RFC 9112 6).
bool concerns_connection(std::string_view name) noexcept {
  switch (name.size()) {
    case 2:
      return iequals(name, "te");
    case 6:
      return iequals(name, "expect");
    case 7:
      return iequals(name, "upgrade") || iequals(name, "trailer");
    case 10:
      return iequals(name, "connection") || iequals(name, "keep-alive");
    case 14:
      return iequals(name, "content-length");
    case 16:
      return iequals(name, "proxy-connection");
    case 17:
      return iequals(name, "transfer-encoding");
    default:
      return false;
  }
}

bool take_field(std::string_view& rest, http::HeaderView& field) noexcept {
  field.name = take(rest, kToken);
  if (field.name.empty() || !skip(rest, ":")) return false;
  field.value = trim(take(rest, kValue));
  return skip(rest, "\r\n");
}

}  // namespace

bool is_authority(std::string_view host) noexcept {
  take(host, kAuthority);
  return host.empty();
}

bool read_quickly(std::string_view bytes, http::RequestHead& head) {
  head.method = bytes.substr(0, bytes.find(' '));
  if (head.method != "GET" && head.method != "HEAD") return false;
  std::string_view rest = bytes.substr(head.method.size() + 1);
  head.target = take(rest, kTarget);
  if (head.target.empty() || !skip(rest, " HTTP/1.1\r\n")) return false;
  head.minor_version = 1;
  head.headers.clear();
  int hosts = 0;
  while (!skip(rest, "\r\n")) {
    http::HeaderView field;
    if (!take_field(rest, field)) return false;
    if (concerns_connection(field.name) &&
        !(iequals(field.name, "connection") && iequals(field.value, "keep-alive")))
      return false;
    if (field.name.size() == 4 && iequals(field.name, "host")) {
      ++hosts;
      if (!is_authority(field.value)) return false;
    }
    head.headers.push_back(field);
  }
  return hosts == 1 && rest.empty();
}

}  // namespace tanggul::beast
