#pragma once

#include <functional>

#include "app/config/config.h"
#include "app/terminal/console.h"

namespace tanggul::app {

// Runs the shield with a configuration that is complete, and reads it again by the loader.
using Serve = std::function<int(const Config&, const ConfigLoader&)>;

// Does what the command line asks. What `serve` gives is that command's exit status.
int run_command_line(int argc, const char* const* argv, const Console& console, const Serve& serve);

}  // namespace tanggul::app
