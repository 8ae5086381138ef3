#include "adapters/sqlite/queue_file.h"

#include <fmt/format.h>

#include <utility>

namespace tanggul::sqlite {
namespace {

using ports::SqlRow;

constexpr std::int64_t kOurs = 0x54474C51;  // "TGLQ", so that no other database is taken for ours
constexpr std::int64_t kFormat = 1;

// `at` is when a job may be claimed: when it is due, or when its claim's lease ends. So one index
// finds what is next, and what lapsed stands behind all that was due before it lapsed. Nothing is
// kept by rowid: each tree that a call writes to costs it a page.
constexpr std::string_view kSchema = R"(
CREATE TABLE job (
  queue TEXT NOT NULL, key TEXT NOT NULL,
  at INTEGER NOT NULL, claimed INTEGER NOT NULL, fence INTEGER NOT NULL,
  deliveries INTEGER NOT NULL, attempts INTEGER NOT NULL, enqueued INTEGER NOT NULL,
  handed_on_by TEXT NOT NULL, failure TEXT NOT NULL, detail TEXT NOT NULL, release TEXT NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (queue, key)) WITHOUT ROWID;
CREATE INDEX job_at ON job (queue, at, claimed);
CREATE TABLE dead (
  id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, key TEXT NOT NULL,
  attempts INTEGER NOT NULL, enqueued INTEGER NOT NULL,
  handed_on_by TEXT NOT NULL, failure TEXT NOT NULL, detail TEXT NOT NULL, release TEXT NOT NULL,
  body TEXT NOT NULL, UNIQUE (queue, key));
CREATE INDEX dead_id ON dead (queue, id);
CREATE TABLE fence (last INTEGER NOT NULL);
INSERT INTO fence VALUES (0);
PRAGMA application_id = 1413958737;
PRAGMA user_version = 1;
)";

Expected<std::int64_t> number(ports::SqlSession& session, std::string_view statement) {
  std::int64_t out = 0;
  const auto read = session.run(
      statement, {}, [&](const SqlRow& row) { out = std::get<std::int64_t>(row.at(0)); });
  if (!read) return read.error();
  return out;
}

Expected<void> prepare(ports::SqlSession& session) {
  const auto owner = number(session, "PRAGMA application_id");
  if (!owner) return owner.error();
  const auto format = number(session, "PRAGMA user_version");
  if (!format) return format.error();
  const auto tables = number(session, "SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  if (*tables == 0) return session.script(kSchema);
  if (*owner != kOurs) return Failure{Errc::refused, "it is a database of something else"};
  if (*format > kFormat)
    return Failure{Errc::refused, fmt::format("a newer version wrote it (format {}, and this one "
                                              "knows up to {})",
                                              *format, kFormat)};
  return {};
}

}  // namespace

Expected<std::unique_ptr<ports::SqlSession>> open_queue_file(const SessionConfig& config) {
  auto session = open_session(config);
  if (!session) return session.error();
  // Whole for another process that opens it in the same moment.
  const auto prepared = (*session)->transaction([&] { return prepare(**session); });
  if (!prepared)
    return Failure{prepared.error().code, config.file + ": " + prepared.error().detail};
  // Each checkpoint waits for the disk, and of processes that never rest one tries after each write
  // once the log is that long: 16 MiB of it instead of 4 make that a quarter of the time.
  if (auto set = (*session)->script("PRAGMA wal_autocheckpoint = 4096"); !set)
    return Failure{set.error().code, config.file + ": " + set.error().detail};
  return session;
}

}  // namespace tanggul::sqlite
