#pragma once

#include "app/config/config.h"
#include "app/sync/worker.h"
#include "app/terminal/console.h"

namespace tanggul::app {

// `tanggul sync work`: a worker, until SIGTERM or SIGINT; then what runs may end within the
// configuration's `shutdown`, and goes back to its queue after it. A second signal is the end of
// that time.
int work(const WorkQuery& query, const Config& config, const Console& console);

}  // namespace tanggul::app
