#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/terminal/console.h"

namespace tanggul::app {

struct EnqueueQuery {
  std::vector<std::string> urls;
  std::string file;  // a URL a line, # begins a comment; "-": standard input; empty: none
  std::string pool = "repo_clone";
  bool json = false;
};

// `tanggul sync enqueue`: one job for each repository that none is waiting for. What is no
// repository's address is told and left out; then, or where the queue fails, it has failed.
int enqueue(const EnqueueQuery& query, const Config& config, const Console& console);

}  // namespace tanggul::app
