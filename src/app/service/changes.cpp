#include "app/service/changes.h"

#include <memory>

#include "shield/purge.h"

namespace tanggul::app {
namespace {

std::string key_of(const shield::Upstream& up, const std::string& rest) {
  http::RequestHead get;
  get.method = "GET";
  std::string key = up.config().name + "\x1f";
  up.config().kind->classify(get, rest, "", key);
  return key;
}

void forget(shield::Shield& shield, const std::string& origin, const registry::sql::Mount& mount,
            const std::optional<std::string>& payload) {
  const auto what = payload ? registry::sql::changed(mount, *payload) : std::nullopt;
  shield::PurgeRequest request;
  if (!what) {
    request.origins.push_back(origin);
  } else if (what->has_queries) {
    const std::string& mounted = mount.path.prefix();
    request.prefixes.push_back(mounted.substr(0, mounted.size() - 1) + what->rest + "?");
    request.urls.push_back(mounted.substr(0, mounted.size() - 1) + what->rest);
  } else {
    // A write rather than a purge: there may be thousands a second, each of one key.
    if (const auto up = shield.routes()->find(origin))
      shield.outdate_target(key_of(*up, what->rest));
    return;
  }
  shield::purge(shield, request);
}

}  // namespace

std::function<void(std::optional<std::string_view> payload)> forget_changed(
    shield::Shield& shield, std::string origin, registry::sql::Mount mount) {
  struct What {
    std::string origin;
    registry::sql::Mount mount;
  };
  const auto what = std::make_shared<const What>(What{std::move(origin), std::move(mount)});
  // Purges write to the disk, and keep their order in the pool's one thread.
  return [&shield, what](std::optional<std::string_view> payload) {
    shield.offload().post(
        [&shield, what, own = payload ? std::optional<std::string>(*payload) : std::nullopt] {
          forget(shield, what->origin, what->mount, own);
        });
  };
}

}  // namespace tanggul::app
