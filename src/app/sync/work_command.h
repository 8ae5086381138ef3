#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/terminal/console.h"

namespace tanggul::app {

struct WorkQuery {
  bool once = false;               // until nothing is due or being done
  std::string release;             // empty: this version
  std::string track = "stable";    // or "canary"
  std::vector<std::string> pools;  // empty: all
  std::uint16_t slot = 0;          // of several workers on one machine: added to the port
};

// `tanggul sync work`: the workers of the pools, until SIGTERM or SIGINT; then what runs may end
// within the configuration's `shutdown`, and goes back to its queue after it. A second signal is
// the end of that time.
int work(const WorkQuery& query, const Config& config, const Console& console);

}  // namespace tanggul::app
