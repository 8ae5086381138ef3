#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sync/catalog/statements.h"
#include "sync/catalog/visit.h"

namespace tanggul::sync {

// Which row a repository is. Its identity is the forge's number where that is known, else its URL,
// now or formerly. Within a transaction.

// By its URL or one that it had.
std::optional<std::int64_t> find_repository(Statements& db, const std::string& url);

// Finds or makes its row, writes down what is known, and holds the row until the transaction ends:
// whoever comes second waits.
std::int64_t settle(Statements& db, const RepositoryFacts& facts, WallTime at);

// What was found under `old_url` is the repository `now`; two rows become one.
void rename(Statements& db, const std::string& old_url, const RepositoryFacts& now, WallTime at);

}  // namespace tanggul::sync
