#pragma once

#include <vector>

#include "app/client/admin_address.h"

namespace tanggul::app {

struct PurgeQuery {
  AdminAddress admin;
  std::vector<std::string> urls, prefixes, origins, tags;
};

// Has a running shield forget what is named. kDone, also where there was nothing; kFailed, or
// kWrongUsage where a name leads to no origin: then nothing was purged.
int purge(const PurgeQuery& query, bool as_json, const Console& console);

}  // namespace tanggul::app
