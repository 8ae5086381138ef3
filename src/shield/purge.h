#pragma once

#include <string>
#include <vector>

#include "shield/shield.h"

namespace tanggul::shield {

// What to forget. URLs and prefixes as clients use them, with or without scheme and host, or as the
// upstream has them.
struct PurgeRequest {
  std::vector<std::string> urls;      // one resource each, in every form and variant; or once:KEY
  std::vector<std::string> prefixes;  // of such URLs
  std::vector<std::string> origins;   // names; lifts what a 429 has imposed, too
  std::vector<std::string> tags;      // of Cache-Tag, Surrogate-Key or xkey, at whatever origin
};

struct PurgeResult {
  // Of the URLs and prefixes, remembered failures and marks among them. What origins and tags cover
  // is not counted, nor what of a prefix lies on disk alone: a purge walks neither.
  std::size_t entries = 0;
  std::size_t flights = 0;           // that run: delivered, but not stored
  std::vector<std::string> unknown;  // lead to no origin: nothing at all was purged
  bool kept = true;                  // false: could not be written down, and ends with the process
};

// An origin or a tag costs the same however much is held (see cache::Purges); a URL or a prefix
// looks at every entry in memory besides, to give their room back. Thread-safe; writes to the disk.
PurgeResult purge(Shield& shield, const PurgeRequest& request);

// The same for what another node has purged, as it was noted there.
void take_purge(Shield& shield, cache::Purges::Rule rule, std::string_view what);

}  // namespace tanggul::shield
