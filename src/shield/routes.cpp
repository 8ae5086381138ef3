#include "shield/routes.h"

#include <algorithm>

namespace tanggul::shield {

const UpstreamPtr& Routes::route(std::string_view target) const noexcept {
  static const UpstreamPtr kNone;
  const UpstreamPtr* best = &kNone;
  for (const UpstreamPtr& u : upstreams) {
    const std::string_view mount = u->config().mount;
    // "/npm" without its slash is the mount's own root.
    const bool inside = target.starts_with(mount) || target == mount.substr(0, mount.size() - 1);
    if (inside && (!*best || mount.size() > (*best)->config().mount.size())) best = &u;
  }
  return *best;
}

UpstreamPtr Routes::find(std::string_view name) const noexcept {
  const auto at = std::find_if(upstreams.begin(), upstreams.end(),
                               [&](const UpstreamPtr& u) { return u->config().name == name; });
  return at == upstreams.end() ? nullptr : *at;
}

}  // namespace tanggul::shield
