#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "registry/sql/inferred.h"
#include "registry/sql/parameter.h"

namespace tanggul::registry::sql {

// What a SQL origin asks its database.
struct Query {
  std::string origin;  // for the log and for problems
  std::string text;
  std::vector<Parameter> parameters;   // $1, $2, …
  bool many = false;                   // an array of all rows; else the first one's object
  std::shared_ptr<Inferred> inferred;  // to be told; null: nobody asks
  ByteCount max_object = 16_MiB;       // of its JSON
};

}  // namespace tanggul::registry::sql
