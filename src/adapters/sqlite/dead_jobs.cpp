#include "adapters/sqlite/dead_jobs.h"

#include "adapters/sqlite/queue_rows.h"

namespace tanggul::sqlite {
namespace {

using ports::SqlRow;

constexpr std::string_view kBury = "INSERT OR REPLACE INTO dead (" TANGGUL_JOB_COLUMNS
                                   ", queue) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
constexpr std::string_view kDropOldest =
    "DELETE FROM dead WHERE queue = $1 AND id <= "
    "(SELECT id FROM dead WHERE queue = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)";
constexpr std::string_view kDead = "SELECT id, " TANGGUL_JOB_COLUMNS
                                   " FROM dead WHERE queue = $1 AND id < $2 "
                                   "ORDER BY id DESC LIMIT $3";
constexpr std::string_view kExhume = "DELETE FROM dead WHERE queue = $1 AND id = $2";

}  // namespace

Expected<void> bury(ports::SqlSession& session, const std::string& queue, const std::string& key,
                    const ports::Job& job, std::int64_t most) {
  SqlRow values = values_of(key, job);
  values.emplace_back(queue);
  if (auto added = session.run(kBury, values); !added) return added.error();
  if (auto dropped = session.run(kDropOldest, {queue, most}); !dropped) return dropped.error();
  return {};
}

Expected<std::vector<DeadJob>> dead_before(ports::SqlSession& session, const std::string& queue,
                                           std::int64_t id, std::int64_t at_most) {
  std::vector<DeadJob> out;
  const auto read = session.run(kDead, {queue, id, at_most}, [&](const SqlRow& row) {
    out.push_back(
        {std::get<std::int64_t>(row.at(0)), std::get<std::string>(row.at(1)), job_of(row, 1)});
  });
  if (!read) return read.error();
  return out;
}

Expected<bool> exhume(ports::SqlSession& session, const std::string& queue, std::int64_t id) {
  const auto removed = session.run(kExhume, {queue, id});
  if (!removed) return removed.error();
  return *removed > 0;
}

}  // namespace tanggul::sqlite
