#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/queue.h"
#include "ports/sql_session.h"

namespace tanggul::sqlite {

// The jobs of a queue that are kept apart. Each call is within whatever transaction the session is
// in, and under its user's lock.
struct DeadJob {
  std::int64_t id = 0;
  std::string key;  // whatever becomes of the job's
  ports::Job job;
};

// Of two with one key the later one is kept; over `most` the oldest are dropped.
Expected<void> bury(ports::SqlSession& session, const std::string& queue, const std::string& key,
                    const ports::Job& job, std::int64_t most);

// With a lower id than `id`, the newest first.
Expected<std::vector<DeadJob>> dead_before(ports::SqlSession& session, const std::string& queue,
                                           std::int64_t id, std::int64_t at_most);

// False: somebody else has taken it out.
Expected<bool> exhume(ports::SqlSession& session, const std::string& queue, std::int64_t id);

}  // namespace tanggul::sqlite
