#include "registry/npm_artifacts.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "http/target.h"

namespace tanggul::registry {
namespace {

// What may stand in a URL at all (RFC 3986 2). A backslash may not: readers differ over it.
bool is_url_char(char c) noexcept {
  return c > 0x20 && c < 0x7f && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

// What a client sends as it is in the path of a request (RFC 3986 pchar).
bool is_path_char(char c) noexcept {
  const char l = ascii_lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~!$&'()*+,;=:@%").find(c) != std::string_view::npos;
}

std::string_view without_fragment(std::string_view url) noexcept {
  return url.substr(0, url.find('#'));
}

// Where the authority of an absolute http(s) URL ends; nullopt: it is none.
std::optional<std::size_t> authority_end(std::string_view url) noexcept {
  const std::size_t scheme = iequals(url.substr(0, 7), "http://")    ? 7
                             : iequals(url.substr(0, 8), "https://") ? 8
                                                                     : 0;
  const auto end = std::min(url.find('/', scheme), url.size());
  if (scheme == 0 || end == scheme) return std::nullopt;
  return end;
}

// Whether the URL is what plan() would ask `upstream` for anyway.
bool in_standard_place(std::string_view url, const NpmName& package, std::string_view upstream) {
  const auto authority = authority_end(upstream);
  if (!authority || !iequals(url.substr(0, *authority), upstream.substr(0, *authority)) ||
      !url.substr(*authority).starts_with(upstream.substr(*authority)))
    return false;
  const NpmPath path = parse_npm_path(url.substr(upstream.size()));
  return path.what == NpmPath::What::tarball && path.suffix.empty() &&
         path.package.scope == package.scope && path.package.name == package.name &&
         path.tail == file_of(path.tail);
}

auto all_of(const ArtifactDigest& d) { return std::tie(d.file, d.url, d.integrity, d.sha1); }

Artifacts settle(std::vector<ArtifactDigest> named) {
  std::sort(named.begin(), named.end(),
            [](const auto& a, const auto& b) { return all_of(a) < all_of(b); });
  named.erase(std::unique(named.begin(), named.end(),
                          [](const auto& a, const auto& b) { return all_of(a) == all_of(b); }),
              named.end());
  Artifacts out;
  for (auto first = named.begin(); first != named.end();) {
    const auto last =
        std::find_if(first, named.end(), [&](const auto& d) { return d.file != first->file; });
    const bool silent = first->url.empty() && first->integrity.empty() && first->sha1.empty();
    if (last - first == 1) {
      if (!silent) out.known.push_back(std::move(*first));
    } else if (first->url != (last - 1)->url) {  // sorted by URL within the file
      out.apart.push_back(first->file);
    } else if (!first->url.empty()) {
      out.known.push_back({first->file, first->url, {}, {}});
    }
    first = last;
  }
  return out;
}

}  // namespace

std::optional<std::string_view> artifact_file(std::string_view url) noexcept {
  url = without_fragment(url);
  if (!std::all_of(url.begin(), url.end(), is_url_char)) return std::nullopt;
  const auto authority = authority_end(url);
  if (!authority || url.substr(0, *authority).find_first_of("@?") != std::string_view::npos)
    return std::nullopt;
  const std::string_view path = url.substr(*authority, url.find('?') - *authority);
  if (path.empty()) return std::nullopt;
  const std::string_view file = file_of(path);
  if (file.empty() || http::is_dot_segment(file) ||
      !std::all_of(file.begin(), file.end(), is_path_char))
    return std::nullopt;
  return file;
}

Artifacts artifacts_of(std::vector<NpmDist> dists, const NpmName& package,
                       std::string_view upstream) {
  std::vector<ArtifactDigest> named;
  named.reserve(dists.size());
  for (NpmDist& dist : dists) {
    const auto file = artifact_file(dist.tarball);
    if (!file) continue;
    ArtifactDigest d;
    d.file = *file;
    const std::string_view url = without_fragment(dist.tarball);
    if (!in_standard_place(url, package, upstream)) d.url = url;
    d.integrity = std::move(dist.integrity);
    d.sha1 = std::move(dist.shasum);
    named.push_back(std::move(d));
  }
  return settle(std::move(named));
}

}  // namespace tanggul::registry
