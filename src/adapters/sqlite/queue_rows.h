#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "ports/queue.h"
#include "ports/sql_session.h"

// What stands of a job in its tables.
namespace tanggul::sqlite {

using Microseconds = std::int64_t;  // since 1970

// Without overflow at either end of the clock; before 1970 is 1970.
inline Microseconds micros(WallTime time) {
  const auto since = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  return std::max<Microseconds>(0, since.count());
}
inline WallTime wall_time(Microseconds time) { return WallTime(std::chrono::microseconds(time)); }

// The columns that a job's values stand in, those of both tables.
#define TANGGUL_JOB_COLUMNS "key, body, attempts, handed_on_by, enqueued, failure, detail, release"

// As parameters, of which `key` comes first.
inline ports::SqlRow values_of(const std::string& key, const ports::Job& job) {
  return {key,
          job.body,
          std::int64_t{job.attempts},
          job.handed_on_by,
          micros(job.enqueued),
          job.failure,
          job.detail,
          job.release};
}

// From the columns at `first` on.
inline ports::Job job_of(const ports::SqlRow& row, std::size_t first) {
  const auto text = [&](std::size_t at) { return std::get<std::string>(row.at(first + at)); };
  const auto whole = [&](std::size_t at) { return std::get<std::int64_t>(row.at(first + at)); };
  return {.key = text(0),
          .body = text(1),
          .attempts = static_cast<int>(whole(2)),
          .handed_on_by = text(3),
          .enqueued = wall_time(whole(4)),
          .failure = text(5),
          .detail = text(6),
          .release = text(7)};
}

}  // namespace tanggul::sqlite
