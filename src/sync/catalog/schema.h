#pragma once

#include "ports/sql_session.h"

namespace tanggul::sync {

inline constexpr std::int64_t kSchemaVersion = 1;

// Brings a database to this version of the schema, whatever it was, an empty one too; several may
// do so at once. Refuses a newer one. The schema in words: docs/catalog.md.
Expected<void> migrate(ports::SqlSession& session);

}  // namespace tanggul::sync
