#include "registry/npm_path.h"

#include <algorithm>

#include "base/bytes.h"
#include "http/target.h"

namespace tanggul::registry {
namespace {

constexpr std::size_t kLongestName =
    214;  // of npm's validate-npm-package-name, '@' and '/' with it

bool is_name_char(char c) noexcept {
  const char l = ascii_lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~!'()*").find(c) != std::string_view::npos;
}

// Names that begin with a dot or an underscore cannot be published; CouchDB's own paths do.
bool is_name(std::string_view s) noexcept {
  return !s.empty() && s.front() != '.' && s.front() != '_' &&
         std::all_of(s.begin(), s.end(), is_name_char);
}

bool is_control(char c) noexcept {
  const auto b = static_cast<unsigned char>(c);
  return b <= 0x20 || b == 0x7f;
}

// How many bytes at `at` separate segments, for a server that decodes before it splits too.
std::size_t separator(std::string_view path, std::size_t at) noexcept {
  if (path[at] == '/' || path[at] == '\\') return 1;
  const std::string_view escape = path.substr(at, 3);
  return iequals(escape, "%2f") || iequals(escape, "%5c") ? 3 : 0;
}

bool has_dot_segment(std::string_view path) noexcept {
  std::size_t start = 0, at = 0;
  while (at < path.size()) {
    const std::size_t width = separator(path, at);
    if (width > 0 && http::is_dot_segment(path.substr(start, at - start))) return true;
    at += width > 0 ? width : 1;
    if (width > 0) start = at;
  }
  return http::is_dot_segment(path.substr(start));
}

bool asks_to_write(std::string_view query) noexcept {
  while (!query.empty()) {
    query.remove_prefix(1);  // '?' or '&'
    const auto end = std::min(query.find('&'), query.size());
    if (query.substr(0, end) == "write=true") return true;
    query.remove_prefix(end);
  }
  return false;
}

// Takes "@scope/name" or "name" off the front of `path`, leaving what follows with its slash.
std::optional<NpmName> take_name(std::string_view& path) noexcept {
  std::string_view left = path.substr(1);
  NpmName found;
  const bool escaped_at = left.starts_with("%40");
  if (escaped_at || left.starts_with('@')) {
    left.remove_prefix(escaped_at ? 3 : 1);
    const auto end = left.find_first_of("/%");
    if (end == std::string_view::npos) return std::nullopt;
    const bool escaped_slash = left[end] == '%';
    if (escaped_slash && !iequals(left.substr(end, 3), "%2f")) return std::nullopt;
    found.scope = left.substr(0, end);
    left.remove_prefix(end + (escaped_slash ? 3 : 1));
    if (!is_name(found.scope)) return std::nullopt;
  }
  const auto end = std::min(left.find('/'), left.size());
  found.name = left.substr(0, end);
  left.remove_prefix(end);
  const std::size_t length = found.name.size() + (found.scope.empty() ? 0 : found.scope.size() + 2);
  if (!is_name(found.name) || length > kLongestName) return std::nullopt;
  path = left;
  return found;
}

// "name-1.0.0.tgz", or "@scope/name-1.0.0.tgz" as Artifactory and GitLab write it.
bool is_tarball_tail(const NpmName& package, std::string_view tail) noexcept {
  const auto slash = tail.find('/');
  if (slash == std::string_view::npos) return !tail.empty();
  return !package.scope.empty() && tail.front() == '@' &&
         tail.substr(1, slash - 1) == package.scope && slash + 1 < tail.size() &&
         tail.find('/', slash + 1) == std::string_view::npos;
}

NpmPath::What special(std::string_view path) noexcept {
  constexpr std::string_view kAttestations = "/-/npm/v1/attestations/";
  if (path == "/-/npm/v1/keys") return NpmPath::What::shared;
  if (path.starts_with(kAttestations) && path.size() > kAttestations.size())
    return NpmPath::What::shared;
  return NpmPath::What::own;
}

}  // namespace

NpmPath parse_npm_path(std::string_view raw) {
  using What = NpmPath::What;
  NpmPath out;
  const auto cut = std::min(raw.find('?'), raw.size());
  std::string_view path = raw.substr(0, cut);
  out.suffix = raw.substr(cut);
  out.writes = asks_to_write(out.suffix);
  if (!path.starts_with('/') || std::any_of(raw.begin(), raw.end(), is_control) ||
      has_dot_segment(path)) {
    out.what = What::own;
    return out;
  }
  if (path.starts_with("/-/")) {
    out.what = special(path);
    return out;
  }
  const auto package = take_name(path);
  if (!package) return out;
  if (path.empty()) {
    out.what = What::packument;
  } else if (path.starts_with("/-/") && is_tarball_tail(*package, path.substr(3))) {
    out.what = What::tarball;
    out.tail = path.substr(3);
  } else if (path.size() > 1 && path != "/-" && path.find('/', 1) == std::string_view::npos) {
    out.what = What::manifest;
    out.tail = path.substr(1);
  }
  if (out.what != What::other) out.package = *package;
  return out;
}

std::optional<NpmName> written_package(std::string_view raw) noexcept {
  constexpr std::string_view kPackage = "/-/package";
  std::string_view path = raw.substr(0, raw.find('?'));
  if (path.starts_with(kPackage)) path.remove_prefix(kPackage.size());
  if (!path.starts_with('/') || path.starts_with("/-/") || has_dot_segment(path))
    return std::nullopt;
  return take_name(path);
}

std::string_view file_of(std::string_view tail) noexcept {
  return tail.substr(tail.rfind('/') + 1);  // npos + 1 is 0
}

void append_plain(const NpmName& package, std::string& to) {
  to += '/';
  if (!package.scope.empty()) to.append("@").append(package.scope).append("/");
  to += package.name;
}

void append_escaped(const NpmName& package, std::string& to) {
  to += '/';
  if (!package.scope.empty()) to.append("@").append(package.scope).append("%2f");
  to += package.name;
}

}  // namespace tanggul::registry
