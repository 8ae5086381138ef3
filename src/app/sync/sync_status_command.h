#pragma once

#include "app/config/config.h"
#include "app/terminal/console.h"

namespace tanggul::app {

// `tanggul sync status`: the queues with their lag and their jobs by state, the pools, the
// latest jobs that are kept apart, the stages of parsing that gave up, and the latest tombstones.
int show_sync_status(const Config& config, bool json, const Console& console);

}  // namespace tanggul::app
