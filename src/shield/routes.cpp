#include "shield/routes.h"

#include <algorithm>

namespace tanggul::shield {

const UpstreamPtr& Routes::route(std::string_view target) const noexcept {
  static const UpstreamPtr kNone;
  const UpstreamPtr* best = &kNone;
  std::size_t length = 0, closeness = 0;
  for (const UpstreamPtr& u : upstreams) {
    const std::string_view mount = u->config().mount;
    // "/npm" without its slash is the mount's own root.
    const bool inside = target.starts_with(mount) || target == mount.substr(0, mount.size() - 1);
    if (!inside || mount.size() < length) continue;
    const std::size_t serves = u->config().kind->serves(
        target.size() < mount.size() ? "/" : target.substr(mount.size() - 1));
    if (serves == 0 || (mount.size() == length && serves <= closeness)) continue;
    best = &u;
    length = mount.size();
    closeness = serves;
  }
  return *best;
}

UpstreamPtr Routes::find(std::string_view name) const noexcept {
  const auto at = std::find_if(upstreams.begin(), upstreams.end(),
                               [&](const UpstreamPtr& u) { return u->config().name == name; });
  return at == upstreams.end() ? nullptr : *at;
}

}  // namespace tanggul::shield
