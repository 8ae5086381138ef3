#include "adapters/git/command.h"

#include <array>
#include <cstdlib>

namespace tanggul::git {
namespace {

// Over the repository's own configuration, which git reads all the same.
constexpr std::array kSettings{
    "core.hooksPath=/dev/null",       //
    "core.fsmonitor=false",           //
    "core.untrackedCache=false",      //
    "core.symlinks=false",            //
    "core.pager=cat",                 //
    "core.askPass=/bin/false",        //
    "core.sshCommand=/bin/false",     //
    "core.attributesFile=/dev/null",  //
    "core.commitGraph=false",         // a cache that could disagree with the commits
    "core.useReplaceRefs=false",      // what HEAD says, not what stands in for it
    "core.bigFileThreshold=4m",       // larger blobs are streamed, not inflated in memory
    "credential.helper=",             //
    "protocol.allow=never",           //
    "gc.auto=0",                      //
    "maintenance.auto=false",         //
    "safe.directory=*",               // it is read, whoever owns it
    "safe.bareRepository=explicit",   // and --git-dir says which
};

std::vector<std::string> environment() {
  const char* const path = std::getenv("PATH");
  return {
      std::string("PATH=") + (path && *path ? path : "/usr/local/bin:/usr/bin:/bin"),
      "HOME=/nonexistent",
      "LC_ALL=C",
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_ATTR_NOSYSTEM=1",
      "GIT_TERMINAL_PROMPT=0",
      "GIT_ASKPASS=/bin/false",
      "GIT_SSH_COMMAND=/bin/false",
      "GIT_ALLOW_PROTOCOL=",  // none
      "GIT_NO_LAZY_FETCH=1",
      "GIT_NO_REPLACE_OBJECTS=1",
      "GIT_OPTIONAL_LOCKS=0",
      "GIT_LFS_SKIP_SMUDGE=1",
  };
}

}  // namespace

process::Command git_command(const std::string& program, const std::string& git_dir,
                             std::vector<std::string> args) {
  process::Command out{{program, "--no-pager", "--git-dir=" + git_dir}, environment()};
  for (const char* const setting : kSettings) {
    out.args.emplace_back("-c");
    out.args.emplace_back(setting);
  }
  for (std::string& arg : args) out.args.push_back(std::move(arg));
  return out;
}

}  // namespace tanggul::git
