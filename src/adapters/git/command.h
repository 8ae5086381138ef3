#pragma once

#include <string>
#include <vector>

#include "process/child.h"
#include "tanggul/base/clock.h"

namespace tanggul::git {

// git on a repository that is not trusted: what its configuration may name is neither run nor asked
// over a network, objects that are not there are not fetched, and no file is written. `git_dir` is
// absolute.
process::Command git_command(const std::string& program, const std::string& git_dir,
                             std::vector<std::string> args);

// A remote repository that is not trusted either.
struct RemotePlace {
  std::string url;
  std::string address;  // the only one that its host may have; empty: whatever its name says
  std::string ca;       // a PEM file; empty: the system's
  Duration silence = 30s;
};

// git that talks to that place alone, by http or https, as nobody: no proxy, no redirect, no
// credential, no prompt. What arrives is checked, and what is written is objects and refs.
process::Command remote_command(const std::string& program, const RemotePlace& place,
                                std::vector<std::string> args);

}  // namespace tanggul::git
