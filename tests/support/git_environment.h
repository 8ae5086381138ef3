#pragma once

#include <map>
#include <string>

namespace tanggul::test {

// Of a git that makes the same commits on every machine.
inline std::map<std::string, std::string> git_environment() {
  return {{"GIT_AUTHOR_NAME", "A"},
          {"GIT_AUTHOR_EMAIL", "a@example.org"},
          {"GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z"},
          {"GIT_COMMITTER_NAME", "A"},
          {"GIT_COMMITTER_EMAIL", "a@example.org"},
          {"GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z"},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_CONFIG_GLOBAL", "/dev/null"},
          {"LC_ALL", "C"}};
}

}  // namespace tanggul::test
