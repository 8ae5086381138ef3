#pragma once

#include <string>
#include <vector>

#include "app/config/environment.h"
#include "app/config/url.h"
#include "app/terminal/console.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

struct OnceQuery {
  std::string key, output;
  std::vector<std::string> command;
  std::string token;      // empty: none
  bool require = false;   // without a shield nothing is done
  Duration wait = 30min;  // for what somebody else builds
  Url via;                // of the port that clients use
};

// Sees to it that the file at `output` is there: of all who ask the shield for `key` one runs the
// command, the others get the file that it made. Blocks; takes SIGINT, SIGTERM, SIGHUP and SIGCHLD
// meanwhile. kDone, the command's status, kStillDown when the wait is over, kFailed, or
// kWrongUsage.
int build_once(const OnceQuery& query, const Console& console);

// Where clients reach the shield: `via` where that is not empty, else `listen` of the configuration
// at `config`, or of none. nullopt: wrong, which has been told.
std::optional<Url> shield_url(const std::string& config, const std::string& via,
                              const Environment& environment, const Console& console);

}  // namespace tanggul::app
