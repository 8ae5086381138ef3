#pragma once

#include "app/config/config.h"
#include "app/service/service_notify.h"

namespace tanggul::app {

// Runs the shield until it is told to stop. The process's exit status: 0 stopped in order, 1
// failed. `notify` hears of its beginning, its health and its end.
int serve(const Config& config, const ConfigLoader& load_again, const ServiceNotify& notify);

}  // namespace tanggul::app
