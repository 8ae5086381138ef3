#include "app/service/changes.h"

#include <memory>
#include <utility>

#include "async/spawn.h"
#include "async/waiter.h"
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

struct What {
  const std::string origin;
  const registry::sql::Mount mount;
  bool waits = false;  // to forget all; of the listener's executor alone
};
using WhatPtr = std::shared_ptr<What>;

// Purges write to the disk, and keep their order in the pool's one thread.
void forget_soon(shield::Shield& shield, WhatPtr what, std::optional<std::string> payload) {
  shield.offload().post([&shield, what = std::move(what), payload = std::move(payload)] {
    forget(shield, what->origin, what->mount, payload);
  });
}

bool is_down(const shield::Shield& shield, const std::string& origin) {
  const auto up = shield.routes()->find(origin);
  return up && up->state().breaker_state(MonoClock::now()) != policy::BreakerState::closed;
}

Task<void> forget_all_when_well(async::Executor executor, shield::Shield& shield, WhatPtr what) {
  constexpr Duration kLookAgain = 50ms;
  const async::WaiterPtr waiter = async::Waiter::make(executor);
  while (is_down(shield, what->origin)) {
    const MonoTime next = MonoClock::now() + kLookAgain;
    while (MonoClock::now() < next) co_await waiter->wait_until(next);
  }
  what->waits = false;
  forget_soon(shield, what, std::nullopt);
}

}  // namespace

std::function<void(std::optional<std::string_view> payload)> forget_changed(
    async::Executor executor, shield::Shield& shield, std::string origin,
    registry::sql::Mount mount) {
  const WhatPtr what = std::make_shared<What>(What{std::move(origin), std::move(mount)});
  return [executor, &shield, what](std::optional<std::string_view> payload) {
    if (payload) return forget_soon(shield, what, std::string(*payload));
    if (std::exchange(what->waits, true)) return;  // a listener may come and go in an outage
    async::spawn(executor, "forget", forget_all_when_well(executor, shield, what));
  };
}

}  // namespace tanggul::app
