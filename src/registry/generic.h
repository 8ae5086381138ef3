#pragma once

#include <memory>
#include <string>
#include <vector>

#include "registry/kind.h"

namespace tanggul::registry {

struct GenericKey {
  bool sort_query = false;
  std::vector<std::string> drop_query;  // names of query parameters that do not matter
};

// Any HTTP artifact store: the key is the raw path and query.
std::unique_ptr<Kind> make_generic(GenericKey key);

}  // namespace tanggul::registry
