#pragma once

#include <string>
#include <vector>

#include "shield/shield.h"

namespace tanggul::shield {

// What to forget. URLs and prefixes as clients use them, with or without scheme and host, or as the
// upstream has them.
struct PurgeRequest {
  std::vector<std::string> urls;      // one resource each, in every form and variant of it
  std::vector<std::string> prefixes;  // of such URLs
  std::vector<std::string> origins;   // names; lifts what a 429 has imposed, too
};

struct PurgeResult {
  std::size_t entries = 0;           // remembered failures and marks among them
  std::size_t flights = 0;           // that run: delivered, but not stored
  std::vector<std::string> unknown;  // lead to no origin: nothing at all was purged
};

// Looks at every entry; takes milliseconds per hundred thousand. Thread-safe.
PurgeResult purge(Shield& shield, const PurgeRequest& request);

}  // namespace tanggul::shield
