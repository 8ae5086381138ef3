#pragma once

#include "app/client/admin_address.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

struct WatchQuery {
  AdminAddress admin;
  bool as_json = false;
  Duration interval = 1s;
};

// Shows the status again and again until SIGINT or SIGTERM: on a terminal redrawn in place, else
// block after block with an empty line between, as JSON a line each. A shield that does not answer
// is told of and asked again. The exit status.
int watch_status(const WatchQuery& query, const Console& console);

}  // namespace tanggul::app
