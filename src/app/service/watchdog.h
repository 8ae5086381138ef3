#pragma once

#include <vector>

#include "app/service/service_notify.h"
#include "async/task.h"

namespace tanggul::app {

// Pings the service manager for as long as every loop that does the work answers. Each third of
// the manager's patience it looks whether all have run what was posted to them at the last look;
// only then does it ping and post again. So one loop that is stuck ends the pings, the others'
// health notwithstanding, and the manager restarts the process within 4/3 of its patience. It runs
// on the first loop, not on a thread of its own, which would go on when nothing else does. Ends
// with that loop, which `notify` outlives. Without a watchdog it does nothing.
void watch_loops(const ServiceNotify& notify, std::vector<async::Executor> loops);

}  // namespace tanggul::app
