#pragma once

#include <fmt/core.h>

#include <string_view>

// The operational log, on standard error, one line an event. Access lines go their own way.
namespace tanggul::log {

enum class Level { debug, info, warn, error };

void set_level(Level level);
void write(Level level, std::string_view line);

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warn, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tanggul::log
