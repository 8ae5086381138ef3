#pragma once

#include <string>
#include <vector>

#include "app/terminal/console.h"
#include "sync/pool.h"

namespace tanggul::app {

struct ReadQuery {
  std::string path, pool = "repo_clone";
  std::vector<sync::Pool> pools = sync::default_pools();
  bool json = false;
};

// `tanggul sync read`: prints what would be extracted from a file, a folder, or a git repository at
// its HEAD, under the limits of a pool, its memory among them. Fails only if it cannot be read as a
// whole; what is wrong with single files is part of what is printed.
int read_source(const ReadQuery& query, const Console& console);

}  // namespace tanggul::app
