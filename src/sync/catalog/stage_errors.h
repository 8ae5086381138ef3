#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sync/catalog/catalog.h"

namespace tanggul::sync {

struct StageErrors {
  std::string release, stage;
  std::int64_t repositories = 0;  // in reading which it gave up at least once
};

// By release and stage, those with errors alone, in their order by name.
Expected<std::vector<StageErrors>> stage_errors(Catalog& catalog);

}  // namespace tanggul::sync
