#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace tanggul::log {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    const auto mode = std::getenv("NO_COLOR") != nullptr ? spdlog::color_mode::never
                                                         : spdlog::color_mode::automatic;
    auto made = spdlog::stderr_color_mt("tanggul", mode);
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %v");
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void set_level(Level level) { logger().set_level(to_spdlog(level)); }
void write(Level level, std::string_view line) { logger().log(to_spdlog(level), line); }

}  // namespace tanggul::log
