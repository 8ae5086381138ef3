#pragma once

#include "app/config.h"

namespace tanggul::app {

// Runs the shield until SIGTERM or SIGINT; the exit status of the program.
int serve(const Config& config);

}  // namespace tanggul::app
