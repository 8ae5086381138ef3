#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "app/config/config.h"
#include "app/terminal/console.h"

namespace tanggul::app {

// --config and --data, which each command of the fleet and of the catalog takes.
void add_config_options(CLI::App& command, std::string& config, std::string& data);

// What they name; nullopt: it is wrong, which has been told.
std::optional<Config> fleet_config(const std::string& config, const std::string& data,
                                   const Environment& environment, const Console& console);

}  // namespace tanggul::app
