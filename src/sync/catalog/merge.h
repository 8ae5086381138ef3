#pragma once

#include <cstdint>

#include "sync/catalog/statements.h"

namespace tanggul::sync {

inline constexpr std::int64_t kMostVisits = 20;  // that are kept of a repository

// Two rows have turned out to be one repository: all that `from` has becomes `to`'s, its URL an
// alias. What both have, `to` keeps as it has it. Within a transaction.
void merge(Statements& db, std::int64_t from, std::int64_t to);

}  // namespace tanggul::sync
