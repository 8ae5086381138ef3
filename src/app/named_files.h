#pragma once

#include <string>
#include <vector>

#include "app/config.h"

namespace tanggul::app {

// One line for each file that the configuration names and this process cannot read.
std::vector<std::string> unreadable_files(const Config& config);

}  // namespace tanggul::app
