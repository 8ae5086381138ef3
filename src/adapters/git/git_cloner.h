#pragma once

#include <memory>
#include <string>

#include "ports/cloner.h"

namespace tanggul::git {

struct GitClonerConfig {
  std::string program = "git";
  Duration silence = 30s;  // of a transfer below 1 KB/s, and of git itself without a word after it
  std::string ca;          // a PEM file; empty: the system's
};

// Whether there is such a program.
bool can_run(const std::string& program = "git");

std::unique_ptr<ports::Cloner> make_cloner(GitClonerConfig config = {});

}  // namespace tanggul::git
