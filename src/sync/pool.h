#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "tanggul/base/clock.h"

namespace tanggul::sync {

// The workers that a repository is read by, and what they may spend on it.
struct Pool {
  std::string name;                 // of its queue too
  int workers = 2;                  // jobs at a time
  ByteCount memory = 512_MiB;       // of a job's process with all that it starts
  ByteCount text_limit = 2_MiB;     // of one document
  ByteCount clone_limit = 200_MiB;  // of a repository on disk
  Duration timeout = 120s;          // of a job
  // Who takes over what is over a limit. Empty: nobody; a document is read as far as the limit
  // goes, a repository is given up.
  std::string hands_on_to;
};

// The two that there are where nothing else is said: repo_clone, and repo_clone_large, which takes
// over from it.
std::vector<Pool> default_pools();

// "repo_clone", "repo_clone_large". None: there is no such pool.
std::optional<Pool> find_pool(const std::vector<Pool>& pools, std::string_view name);

}  // namespace tanggul::sync
