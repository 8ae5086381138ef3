#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::app {

struct ChildCommand {
  std::vector<std::string> words;        // the program, sought in PATH, and its arguments
  std::vector<std::string> environment;  // NAME=value, all of it
};

// What the command writes to standard output, at most 64 KiB. Its input and its standard error are
// /dev/null. Blocks; nullopt where the program is missing, fails, or is not done within `limit`: it
// and its children are then killed.
std::optional<std::string> child_output(const ChildCommand& command, Duration limit);

}  // namespace tanggul::app
