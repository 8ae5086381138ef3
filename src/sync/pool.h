#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace tanggul::sync {

// The workers that a repository is read by, and what they may spend on it.
struct Pool {
  std::string name;
  ByteCount memory;      // of a worker's process
  ByteCount text_limit;  // of one document
  // Who takes over what is over the text limit. Empty: nobody; the document is read as far as the
  // limit goes.
  std::string hands_on_to;
};

// "repo_clone", "repo_clone_large". None: there is no such pool.
std::optional<Pool> find_pool(std::string_view name);

}  // namespace tanggul::sync
