#pragma once

#include <functional>
#include <iosfwd>

#include "app/config.h"

namespace tanggul::app {

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;
  bool terminal = false;  // `out` is one that can be drawn on
};

// What every command ends with.
enum ExitStatus : int { kDone = 0, kFailed = 1, kWrongUsage = 2, kStillDown = 75 };

// Runs the shield with a configuration that is complete, and reads it again by the loader.
using Serve = std::function<int(const Config&, const ConfigLoader&)>;

// Does what the command line asks. What `serve` gives is that command's exit status.
int run_command_line(int argc, const char* const* argv, const Console& console, const Serve& serve);

}  // namespace tanggul::app
