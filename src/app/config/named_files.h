#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"

namespace tanggul::app {

// One line for each thing that is wrong with the files that the configuration names: with them
// nothing can start, or it can but somebody should know.
struct FileFaults {
  std::vector<std::string> errors, warnings;
};

FileFaults faults_of_files(const Config& config);

}  // namespace tanggul::app
