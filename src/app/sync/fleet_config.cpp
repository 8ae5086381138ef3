#include "app/sync/fleet_config.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/bytes.h"

namespace tanggul::app {

void add_config_options(CLI::App& command, std::string& config, std::string& data) {
  command.add_option("--config", config, "The configuration file (default: all defaults)");
  command.add_option("--data", data, "The data directory, whatever the file says");
}

std::optional<Config> fleet_config(const std::string& config, const std::string& data,
                                   const Environment& environment, const Console& console) {
  Overrides overrides;
  if (!data.empty()) overrides.data_dir = data;
  LoadedConfig loaded = config.empty() ? parse_config("", "settings", overrides, environment)
                                       : load_config(config, overrides, environment);
  for (const std::string& error : loaded.errors)
    console.err << "error: " << printable(error) << '\n';
  return std::move(loaded.config);
}

}  // namespace tanggul::app
