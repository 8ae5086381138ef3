#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "async/task.h"
#include "registry/sql/kind.h"
#include "shield/shield.h"

namespace tanggul::app {

// For a listener of an origin's channel, on whose executor it is called: forgets what a
// notification says has changed, here and at the other nodes; and the whole origin where one may
// have been missed. That waits while the origin's breaker is open: what is held is all that there
// is then.
std::function<void(std::optional<std::string_view> payload)> forget_changed(
    async::Executor executor, shield::Shield& shield, std::string origin,
    registry::sql::Mount mount);

}  // namespace tanggul::app
