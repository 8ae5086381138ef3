#include "support/script.h"

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::test {

char byte_at(std::uint64_t offset) noexcept {
  return static_cast<char>((offset * 0x9E3779B97F4A7C15u) >> 56);
}

std::string generated_bytes(std::uint64_t offset, std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = byte_at(offset + i);
  return out;
}

std::string body_piece(const Script& script, std::uint64_t offset, std::size_t size) {
  const std::uint64_t left = script.size() - std::min(offset, script.size());
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, size));
  return script.generated_size ? generated_bytes(offset, n) : script.body.substr(offset, n);
}

std::string head_of(const Script& script, bool not_modified) {
  const int status = not_modified ? 304 : script.status;
  std::string out = "HTTP/1.1 " + std::to_string(status) + " ";
  out += http::reason_phrase(status);
  out += "\r\n";
  for (const auto& [name, value] : script.headers) out += name + ": " + value + "\r\n";
  if (!script.etag.empty()) out += "ETag: " + script.etag + "\r\n";
  const bool bodiless = not_modified || status == 204 || status == 304;
  if (script.fault == Fault::endless_body || script.framing == Framing::chunked) {
    if (!bodiless) out += "Transfer-Encoding: chunked\r\n";
  } else if (script.framing == Framing::length && !bodiless) {
    out += "Content-Length: " + std::to_string(script.size()) + "\r\n";
  }
  if (script.close_after || script.framing == Framing::until_close) out += "Connection: close\r\n";
  return out + "\r\n";
}

bool matches_etag(const Script& script, const http::Headers& request) {
  if (script.etag.empty()) return false;
  const std::string value = request.joined("if-none-match");
  const auto members = http::list_members(value);
  return std::any_of(members.begin(), members.end(),
                     [&](std::string_view m) { return m == "*" || m == script.etag; });
}

}  // namespace tanggul::test
