#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "shield/upstream.h"
#include "tanggul/base/clock.h"

namespace tanggul::shield {

// What a reload may change, as one piece. Immutable: each thread holds the one it works by, and
// takes up the next between two requests.
struct Routes {
  std::vector<UpstreamPtr> upstreams;
  std::string public_url, own_url;  // see ShieldConfig, as for those below
  Duration lease_ttl = 30s;
  ByteCount once_max_object = 10_GiB;

  // The origin whose mount is the longest that `target` begins with, of those that serve what is
  // below it; null if there is none.
  const UpstreamPtr& route(std::string_view target) const noexcept;
  UpstreamPtr find(std::string_view name) const noexcept;  // of an origin; null if there is none
};
using RoutesPtr = std::shared_ptr<const Routes>;

}  // namespace tanggul::shield
