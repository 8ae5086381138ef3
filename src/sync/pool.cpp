#include "sync/pool.h"

#include <algorithm>

namespace tanggul::sync {

std::vector<Pool> default_pools() {
  return {{.name = "repo_clone", .hands_on_to = "repo_clone_large"},
          {.name = "repo_clone_large",
           .workers = 1,
           .memory = 4_GiB,
           .text_limit = 64_MiB,
           .clone_limit = 5_GiB,
           .timeout = 30min,
           .hands_on_to = ""}};
}

std::optional<Pool> find_pool(const std::vector<Pool>& pools, std::string_view name) {
  const auto found = std::find_if(pools.begin(), pools.end(),
                                  [name](const Pool& pool) { return pool.name == name; });
  return found == pools.end() ? std::nullopt : std::optional(*found);
}

}  // namespace tanggul::sync
