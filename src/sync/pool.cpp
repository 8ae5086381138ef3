#include "sync/pool.h"

namespace tanggul::sync {

std::optional<Pool> find_pool(std::string_view name) {
  if (name == "repo_clone") return Pool{"repo_clone", 512_MiB, 2_MiB, "repo_clone_large"};
  if (name == "repo_clone_large") return Pool{"repo_clone_large", 4096_MiB, 64_MiB, ""};
  return std::nullopt;
}

}  // namespace tanggul::sync
