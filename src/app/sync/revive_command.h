#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/terminal/console.h"

namespace tanggul::app {

struct ReviveQuery {
  std::vector<std::string> urls;  // repositories; empty: all
  std::string pool;               // empty: of every pool
  std::string failure;            // "poison", "quarantine", "deliveries"; empty: any
  bool json = false;
};

// `tanggul sync revive`: jobs that were kept apart are due again, with all their attempts.
int revive(const ReviveQuery& query, const Config& config, const Console& console);

}  // namespace tanggul::app
