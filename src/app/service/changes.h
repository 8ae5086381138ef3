#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "registry/sql/kind.h"
#include "shield/shield.h"

namespace tanggul::app {

// For a listener of an origin's channel: forgets what a notification says has changed, here and at
// the other nodes; and the whole origin where one may have been missed.
std::function<void(std::optional<std::string_view> payload)> forget_changed(
    shield::Shield& shield, std::string origin, registry::sql::Mount mount);

}  // namespace tanggul::app
