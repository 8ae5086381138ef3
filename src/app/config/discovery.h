#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/config/environment.h"

namespace tanggul::app {

struct Discovered {
  std::string url;     // http or https; may carry a credential
  std::string source;  // where it was found, for people
};

// Answers of npm itself to `npm config get registry`, best first: by the user's settings, then
// without them. Empty where there is no npm.
using AskNpm = std::function<std::vector<std::string>()>;
std::vector<std::string> ask_npm();

// The registry that this machine's npm uses: of the environment, the user's own .npmrc, or npm
// itself; never the .npmrc of the working directory. Once npm has been told to come to us those
// name ourselves: then the next is looked at, and the one that was found first, which
// DATA/discovered.json keeps.
std::optional<Discovered> discover_npm(const Config& config, const Environment& environment,
                                       const AskNpm& ask);

// The registry that an .npmrc names at its top level, variables expanded; nullopt where none, or
// where a variable is not set.
std::optional<std::string> registry_of_npmrc(std::string_view text, const Environment& environment);

}  // namespace tanggul::app
