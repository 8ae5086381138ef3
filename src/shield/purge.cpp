#include "shield/purge.h"

#include <algorithm>

#include "shield/once_key.h"

namespace tanggul::shield {
namespace {

using Rule = cache::Purges::Rule;

// Keys are the origin's name, \x1f, the target as its kind writes it, and then, from \x1d to \x1f,
// what tells variants, forms and credentials apart.
struct Pattern {
  std::string key;
  bool prefix = false;

  bool matches(std::string_view other) const {
    return prefix ? other.starts_with(key) : cache::belongs_to(other, key);
  }
};

std::string_view below(std::string_view target, const OriginConfig& config) {
  target.remove_prefix(std::min(config.mount.size() - 1, target.size()));
  return target.empty() ? "/" : target;
}

// The key of a target without what follows it.
std::string key_of(const OriginConfig& config, std::string_view rest) {
  http::RequestHead get;
  get.method = "GET";
  std::string key = config.name + "\x1f";
  const std::size_t start = key.size();
  config.kind->classify(get, rest, "", key);
  if (const auto end = key.find('\x1f', start); end != std::string::npos) key.resize(end);
  return key;
}

// Scoped names of registries are keyed with a plain '@' and '/'.
std::string plain(std::string_view rest) {
  std::string out;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string_view escape = rest.substr(i, 3);
    const bool at = escape == "%40", slash = iequals(escape, "%2f");
    out += at ? '@' : slash ? '/' : rest[i];
    if (at || slash) i += 2;
  }
  return out;
}

// Where something lies: an origin, and the target below its mount, which begins with '/'.
struct Place {
  UpstreamPtr up;
  std::string rest;
};

// Of a URL as an upstream has it: several origins may lead there.
std::vector<Place> upstreams_own(const Routes& routes, const std::string& url) {
  std::vector<Place> places;
  for (const UpstreamPtr& u : routes.upstreams)
    for (const UpstreamUrl& at : u->config().upstreams)
      if (const std::string root = at.base + at.path; url.starts_with(root + "/"))
        places.push_back({u, url.substr(root.size())});
  return places;
}

// The path of a URL as clients use it, whatever they call us.
std::string path_of(const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const auto path = url.find('/', scheme + 3);
  return path == std::string::npos ? "/" : url.substr(path);
}

std::vector<Place> places_of(const Routes& routes, const std::string& url) {
  std::vector<Place> places = upstreams_own(routes, url);
  if (!places.empty()) return places;
  const std::string path = path_of(url);
  if (const UpstreamPtr& up = routes.route(path))
    places.push_back({up, std::string(below(path, up->config()))});
  return places;
}

// All that lies below a prefix: part of an origin, and the whole of those that begin there.
std::vector<Place> places_below(const Routes& routes, const std::string& prefix) {
  std::vector<Place> places = upstreams_own(routes, prefix);
  const auto add_whole = [&](const auto& begins_there) {
    for (const UpstreamPtr& u : routes.upstreams)
      if (begins_there(u->config())) places.push_back({u, ""});
  };
  if (prefix.find("://") != std::string::npos)
    add_whole([&](const OriginConfig& config) {
      return std::any_of(config.upstreams.begin(), config.upstreams.end(), [&](const auto& at) {
        return (at.base + at.path + "/").starts_with(prefix);
      });
    });
  if (!places.empty()) return places;
  const std::string path = path_of(prefix);
  places = places_of(routes, path);
  // Clients may call us by any name, but a host that we do not know must not mean everything.
  if (path == prefix)
    add_whole([&](const OriginConfig& config) { return config.mount.starts_with(path); });
  return places;
}

void add_prefix(const Place& place, std::vector<Pattern>& patterns) {
  const OriginConfig& config = place.up->config();
  patterns.push_back({config.name + "\x1f" + place.rest, true});
  if (config.kind->is_registry())
    patterns.push_back({config.name + "\x1f" + plain(place.rest), true});
}

}  // namespace

PurgeResult purge(Shield& shield, const PurgeRequest& request) {
  const RoutesPtr routes = shield.routes();
  PurgeResult result;
  std::vector<Pattern> patterns;
  std::vector<UpstreamPtr> whole;
  for (const std::string& url : request.urls) {
    if (url.starts_with(kOncePurge)) {
      const std::string_view key = std::string_view(url).substr(kOncePurge.size());
      if (valid_once_key(key)) patterns.push_back({once_cache_key(key)});
      if (!valid_once_key(key)) result.unknown.push_back(url);
      continue;
    }
    const auto places = places_of(*routes, url);
    for (const Place& p : places) patterns.push_back({key_of(p.up->config(), p.rest)});
    if (places.empty()) result.unknown.push_back(url);
  }
  for (const std::string& prefix : request.prefixes) {
    const auto places = places_below(*routes, prefix);
    for (const Place& p : places) add_prefix(p, patterns);
    if (places.empty()) result.unknown.push_back(prefix);
  }
  for (const std::string& name : request.origins) {
    whole.push_back(routes->find(name));
    if (!whole.back()) result.unknown.push_back(name);
  }
  if (!result.unknown.empty()) return result;

  for (const Pattern& p : patterns)
    result.kept &= shield.note_purge(p.prefix ? Rule::prefix : Rule::target, p.key);
  for (const std::string& name : request.origins)
    result.kept &= shield.note_purge(Rule::origin, name);
  for (const std::string& tag : request.tags) result.kept &= shield.note_purge(Rule::tag, tag);

  result.kept &= shield.purges().sync();

  const auto goes = [&](std::string_view key) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const Pattern& p) { return p.matches(key); });
  };
  const auto own = [&](std::string_view key) {
    return std::any_of(request.origins.begin(), request.origins.end(),
                       [&](const auto& name) { return key.substr(0, key.find('\x1f')) == name; });
  };
  // The flights first: see publish(). Which tags a running one will bring nobody knows yet.
  result.flights =
      shield.flights().outdate_if([&](std::string_view key) { return goes(key) || own(key); });
  if (!request.tags.empty()) shield.flights().forget_all();
  std::size_t on_disk = 0;
  for (const Pattern& p : patterns)
    if (shield.disk() != nullptr && !p.prefix && shield.disk()->erase(p.key)) ++on_disk;
  if (!patterns.empty()) result.entries = std::max(shield.erase_at_hand_if(goes), on_disk);
  for (const UpstreamPtr& up : whole) up->state().end_pauses();
  return result;
}

void take_purge(Shield& shield, Rule rule, std::string_view what) {
  shield.take_purge(rule, what);
  if (rule == Rule::tag || rule == Rule::all_tags) {
    shield.flights().forget_all();
    return;
  }
  const auto goes = [&](std::string_view key) {
    switch (rule) {
      case Rule::origin:
      case Rule::all_documents:
        return key.substr(0, key.find('\x1f')) == what;
      case Rule::target:
        return cache::belongs_to(key, what);
      default:
        return key.starts_with(what);
    }
  };
  shield.flights().outdate_if(goes);
  // Documents are told from other bodies when somebody asks for them.
  if (rule == Rule::target) shield.erase(what);
  if (rule == Rule::prefix) shield.erase_at_hand_if(goes);
  if (rule == Rule::origin)
    if (const UpstreamPtr up = shield.routes()->find(what)) up->state().end_pauses();
}

}  // namespace tanggul::shield
