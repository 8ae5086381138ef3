#pragma once

#include <cstdint>
#include <string>

#include "sync/catalog/statements.h"
#include "sync/read/findings.h"

namespace tanggul::sync {

// What one release has read of a repository at one commit. Within a transaction that holds the
// repository's row.

struct SnapshotKey {
  std::int64_t repository = 0;
  std::string commit, release;
};

// Writes it, in the place of what was there under the same key; true: nothing was.
bool put_snapshot(Statements& db, const SnapshotKey& key, const Findings& findings);
void drop_snapshot(Statements& db, std::int64_t id);

}  // namespace tanggul::sync
