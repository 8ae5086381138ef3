#pragma once

#include "app/config.h"

namespace tanggul::app {

// Runs the shield until it is told to stop. The process's exit status: 0 stopped in order, 1
// failed.
int serve(const Config& config);

}  // namespace tanggul::app
