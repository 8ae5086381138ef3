#pragma once

#include <iosfwd>

namespace tanggul::app {

// Where a command talks to whoever has started it.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;
  bool terminal = false;  // `out` is one that can be drawn on
};

// What every command ends with.
enum ExitStatus : int { kDone = 0, kFailed = 1, kWrongUsage = 2, kStillDown = 75 };

}  // namespace tanggul::app
