#pragma once

#include <string>
#include <vector>

#include "ports/source_tree.h"
#include "process/child.h"
#include "tanggul/base/clock.h"

namespace tanggul::git {

// A repository, and the git that reads it.
struct Repository {
  std::string program = "git";
  std::string git_dir;  // absolute
  Duration silence = 30s;

  Expected<std::unique_ptr<process::Child>> start(std::vector<std::string> args,
                                                  MonoTime until) const;
  // When a command that is run to its end has to be through, however lively it is: a tree can be
  // made to take for ever and to show a name now and then.
  MonoTime latest() const { return MonoClock::now() + 10 * silence; }
};

// A short command to its end.
struct Ran {
  int status = 0;
  std::string out;   // its first line, without the line's end; ≤ 64 KiB
  std::string said;  // on its standard error, empty: nothing
};
Expected<Ran> run(const Repository& repository, std::vector<std::string> args);

// "git: not a git repository: '/x'"
Failure failed(const std::string& said);

}  // namespace tanggul::git
