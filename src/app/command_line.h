#pragma once

#include <functional>
#include <iosfwd>

#include "app/config.h"

namespace tanggul::app {

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;
};

// What every command ends with.
enum ExitStatus : int { kDone = 0, kFailed = 1, kWrongUsage = 2 };

// Does what the command line asks. `serve` is called for that command with a configuration that is
// complete; its result is the exit status.
int run_command_line(int argc, const char* const* argv, const Console& console,
                     const std::function<int(const Config&)>& serve);

}  // namespace tanggul::app
