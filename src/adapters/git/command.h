#pragma once

#include <string>
#include <vector>

namespace tanggul::git {

// A program as exec has it.
struct Command {
  std::vector<std::string> args;  // args[0] is looked for in PATH
  std::vector<std::string> env;   // all of it
};

// git on a repository that is not trusted: what its configuration may name is neither run nor asked
// over a network, objects that are not there are not fetched, and no file is written. `git_dir` is
// absolute.
Command git_command(const std::string& program, const std::string& git_dir,
                    std::vector<std::string> args);

}  // namespace tanggul::git
