#pragma once

#include <string>
#include <vector>

#include "process/child.h"

namespace tanggul::git {

// git on a repository that is not trusted: what its configuration may name is neither run nor asked
// over a network, objects that are not there are not fetched, and no file is written. `git_dir` is
// absolute.
process::Command git_command(const std::string& program, const std::string& git_dir,
                             std::vector<std::string> args);

}  // namespace tanggul::git
