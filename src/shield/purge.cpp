#include "shield/purge.h"

#include <algorithm>

namespace tanggul::shield {
namespace {

// Keys are the origin's name, \x1f, the target as its kind writes it, and then, from \x1d to \x1f,
// what tells variants, forms and credentials apart.
struct Pattern {
  std::string key;
  bool prefix = false;

  bool matches(std::string_view other) const {
    if (!other.starts_with(key)) return false;
    return prefix || other.size() == key.size() ||
           (other[key.size()] >= '\x1d' && other[key.size()] <= '\x1f');
  }
};

// A URL of an upstream's own becomes the target below its mount, any other its path.
std::string target_of(const Routes& routes, const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  for (const UpstreamPtr& u : routes.upstreams)
    for (const UpstreamUrl& at : u->config().upstreams)
      if (url.starts_with(at.base + at.path + "/"))
        return u->config().mount + url.substr(at.base.size() + at.path.size() + 1);
  const auto path = url.find('/', scheme + 3);
  return path == std::string::npos ? "/" : url.substr(path);
}

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

void add_prefix(const Routes& routes, const std::string& target, PurgeResult& result,
                std::vector<Pattern>& patterns) {
  if (const UpstreamPtr& up = routes.route(target)) {
    const OriginConfig& config = up->config();
    const std::string_view rest = below(target, config);
    patterns.push_back({config.name + "\x1f" + std::string(rest), true});
    if (config.kind->is_registry()) patterns.push_back({config.name + "\x1f" + plain(rest), true});
    return;
  }
  bool any = false;  // above the mounts: whole origins
  for (const UpstreamPtr& u : routes.upstreams) {
    if (!u->config().mount.starts_with(target)) continue;
    patterns.push_back({u->config().name + "\x1f", true});
    any = true;
  }
  if (!any) result.unknown.push_back(target);
}

}  // namespace

PurgeResult purge(Shield& shield, const PurgeRequest& request) {
  const RoutesPtr routes = shield.routes();
  PurgeResult result;
  std::vector<Pattern> patterns;
  std::vector<UpstreamPtr> whole;
  for (const std::string& url : request.urls) {
    const std::string target = target_of(*routes, url);
    const UpstreamPtr& up = routes->route(target);
    if (up) patterns.push_back({key_of(up->config(), below(target, up->config()))});
    if (!up) result.unknown.push_back(url);
  }
  for (const std::string& prefix : request.prefixes)
    add_prefix(*routes, target_of(*routes, prefix), result, patterns);
  for (const std::string& name : request.origins) {
    whole.push_back(routes->find(name));
    patterns.push_back({name + "\x1f", true});
    if (!whole.back()) result.unknown.push_back(name);
  }
  if (!result.unknown.empty()) return result;

  const auto goes = [&](std::string_view key) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const Pattern& p) { return p.matches(key); });
  };
  // The flights first: see publish().
  result.flights = shield.flights().outdate_if(goes);
  result.entries = shield.erase_if(goes);
  for (const UpstreamPtr& up : whole) up->state().end_pauses();
  return result;
}

}  // namespace tanggul::shield
