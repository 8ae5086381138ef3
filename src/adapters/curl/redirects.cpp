#include "adapters/curl/redirects.h"

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::curl {
namespace {

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    return host.ends_with(']') &&
           host.find_first_not_of("0123456789abcdef:.", 1) == host.size() - 1;
  }
  return !host.empty() && std::all_of(host.begin(), host.end(), is_host_character);
}

// host[:port] without the user name that may stand before it.
std::optional<std::string> canonical_authority(std::string_view authority, bool https) {
  authority.remove_prefix(authority.rfind('@') + 1);  // npos + 1 is 0
  const std::size_t colon =
      authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  const std::string host = to_lower(authority.substr(0, colon));
  if (!is_host(host)) return std::nullopt;
  if (colon == authority.npos || colon + 1 == authority.size()) return host;
  const auto port = parse_decimal(authority.substr(colon + 1));
  if (!port || *port == 0 || *port > 65535) return std::nullopt;
  if (*port == (https ? 443u : 80u)) return host;
  return host + ":" + std::to_string(*port);
}

std::size_t end_of_authority(std::string_view url, std::size_t from) {
  return std::min(url.find_first_of("/?#", from), url.size());
}

// Servers send spaces and UTF-8 in Location; on the wire they must be escaped.
std::optional<std::string> wire_form(std::string_view location) {
  std::string out;
  for (const char c : location.substr(0, location.find('#'))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return std::nullopt;
    if (byte == 0x20 || byte > 0x7f) {
      out += '%' + to_hex(std::string_view(&c, 1));
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

// RFC 3986 5.2.4, for a relative reference only: there the dots are part of the notation.
std::string remove_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool directory = false;  // whether the last segment seen leaves a slash at the end
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash before each segment
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    directory = segment == "." || segment == "..";
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!directory) kept.push_back(segment);
  }
  std::string out;
  for (const std::string_view segment : kept) (out += '/') += segment;
  if (directory || out.empty()) out += '/';
  return out;
}

std::string merge(const Hop& from, std::string_view relative) {
  if (relative.empty()) return from.target;
  const std::string_view base = path_of(from.target);
  if (relative.starts_with('?')) return std::string(base) + std::string(relative);
  const std::string_view query = relative.substr(path_of(relative).size());
  std::string path(base.substr(0, base.rfind('/') + 1));
  if (path.empty()) path = "/";
  return remove_dot_segments(path += path_of(relative)) + std::string(query);
}

bool has_scheme(std::string_view reference) {
  const std::size_t colon = reference.find_first_of(":/?");
  return colon != reference.npos && colon > 0 && reference[colon] == ':';
}

Result<Hop> absolute(std::string_view url) {
  const auto base = canonical_base(url);
  if (!base) return Errc::redirect;
  const std::size_t end = end_of_authority(url, url.find("://") + 3);
  std::string target(url.substr(end));
  if (!target.starts_with('/')) target.insert(0, "/");
  return Hop{*base, std::move(target)};
}

}  // namespace

std::optional<std::string> canonical_base(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == url.npos) return std::nullopt;
  const std::string scheme = to_lower(url.substr(0, colon));
  if (scheme != "http" && scheme != "https") return std::nullopt;
  const std::size_t from = colon + 3;
  const auto authority =
      canonical_authority(url.substr(from, end_of_authority(url, from) - from), scheme == "https");
  if (!authority) return std::nullopt;
  return scheme + "://" + *authority;
}

bool is_redirect(int status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<Hop> next_hop(const Hop& from, std::string_view location) {
  const auto text = wire_form(trim(location));
  if (!text) return Errc::redirect;
  const std::string scheme = from.base.substr(0, from.base.find(':'));
  Result<Hop> next = text->starts_with("//")  ? absolute(scheme + ":" + *text)
                     : has_scheme(*text)      ? absolute(*text)
                     : text->starts_with('/') ? Result<Hop>(Hop{from.base, *text})
                                              : Result<Hop>(Hop{from.base, merge(from, *text)});
  if (next && scheme == "https" && !next->base.starts_with("https:")) return Errc::redirect;
  return next;
}

http::Headers without_credentials(const http::Headers& headers,
                                  const std::vector<std::string>& credentials) {
  http::Headers out = headers;
  for (const char* name : {"authorization", "cookie", "host"}) out.remove(name);
  for (const std::string& name : credentials) out.remove(name);
  return out;
}

}  // namespace tanggul::curl
