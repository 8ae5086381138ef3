#pragma once

#include "adapters/sqlite/session.h"

namespace tanggul::sqlite {

// A session on a file of queues, whose tables are made where the file is new. Refuses a file of a
// newer format, and one that is another program's.
Expected<std::unique_ptr<ports::SqlSession>> open_queue_file(const SessionConfig& config);

}  // namespace tanggul::sqlite
