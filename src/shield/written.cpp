#include "shield/written.h"

#include <optional>

#include "base/bytes.h"
#include "http/target.h"

namespace tanggul::shield {
namespace {

// A path and query, and whose names they are: the client's, the upstream's, or either's.
struct Place {
  std::string target;
  bool ours = true, upstreams = true;
};

// RFC 3986 5.2.4, of the path before a query.
std::string without_dots(std::string_view target) {
  const http::Target cut = http::split_target(target);
  std::string out;
  std::string_view path = cut.path;
  while (!path.empty()) {
    const auto end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    const std::string_view name = segment.substr(segment.starts_with('/') ? 1 : 0);
    if (name == "." || name == "..") {
      if (name == "..") out.resize(std::min(out.rfind('/'), out.size()));
      if (path.empty()) out += '/';
    } else {
      out += segment;
    }
  }
  if (cut.has_query) out.append("?").append(cut.query);
  return out;
}

std::optional<Place> place_of(std::string_view reference, std::string_view mounted,
                              std::string_view authority, const OriginConfig& config) {
  reference = reference.substr(0, reference.find('#'));
  const auto scheme = reference.find("://");
  const bool absolute = scheme != reference.npos && scheme < reference.find('/');
  if (absolute || reference.starts_with("//")) {
    std::string_view rest = reference.substr(absolute ? scheme + 3 : 2);
    const auto slash = std::min(rest.find_first_of("/?"), rest.size());
    Place place;
    place.target = rest.substr(slash);
    if (!place.target.starts_with('/')) place.target.insert(0, 1, '/');
    place.ours = iequals(rest.substr(0, slash), authority);
    place.upstreams = false;
    for (const UpstreamUrl& url : config.upstreams)
      place.upstreams |= iequals(std::string_view(url.base).substr(url.base.find("://") + 3),
                                 rest.substr(0, slash));
    return place.ours || place.upstreams ? std::optional(place) : std::nullopt;
  }
  if (reference.starts_with('/')) return Place{std::string(reference)};
  const std::string_view path = http::split_target(mounted).path;
  if (reference.empty()) return Place{std::string(mounted), true, false};
  if (reference.starts_with('?')) return Place{std::string(path).append(reference), true, false};
  return Place{std::string(path.substr(0, path.rfind('/') + 1)).append(reference), true, false};
}

void add_below(std::string_view target, std::string_view root, std::vector<std::string>& rests) {
  if (root.ends_with('/')) root.remove_suffix(1);
  if (!target.starts_with(root)) return;
  target.remove_prefix(root.size());
  if (target.starts_with('/')) rests.emplace_back(target);
}

}  // namespace

std::vector<std::string> also_written(const http::Headers& answer, std::string_view rest,
                                      std::string_view authority, const OriginConfig& config) {
  std::vector<std::string> rests;
  const std::string mounted = config.mount.substr(0, config.mount.size() - 1) + std::string(rest);
  for (const char* field : {"location", "content-location"}) {
    const auto reference = answer.find(field);
    if (!reference) continue;
    const auto place = place_of(trim(*reference), mounted, authority, config);
    if (!place) continue;
    const std::string target = without_dots(place->target);
    if (place->ours) add_below(target, config.mount, rests);
    if (!place->upstreams) continue;
    for (const UpstreamUrl& url : config.upstreams) add_below(target, url.path, rests);
  }
  return rests;
}

}  // namespace tanggul::shield
