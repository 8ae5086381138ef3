#include "sync/catalog/merge.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sync/catalog/cells.h"
#include "sync/catalog/snapshot.h"

namespace tanggul::sync {
namespace {

using ports::SqlRow;

void merge_snapshots(Statements& db, std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> both;
  db.run(
      "SELECT a.id FROM snapshots a JOIN snapshots b ON b.commit_id = a.commit_id "
      "AND b.release = a.release WHERE a.repository = $1 AND b.repository = $2",
      {from, to}, [&](const SqlRow& row) { both.push_back(whole_of(row[0])); });
  for (const std::int64_t id : both) drop_snapshot(db, id);
  db.run("UPDATE snapshots SET repository = $2 WHERE repository = $1", {from, to});
}

void merge_heads(Statements& db, std::int64_t from, std::int64_t to) {
  db.run(
      "UPDATE heads SET last_seen = (SELECT o.last_seen FROM heads o WHERE o.repository = $1 "
      "AND o.commit_id = heads.commit_id) WHERE repository = $2 AND EXISTS (SELECT 1 FROM heads o "
      "WHERE o.repository = $1 AND o.commit_id = heads.commit_id "
      "AND o.last_seen > heads.last_seen)",
      {from, to});
  db.run(
      "DELETE FROM heads WHERE repository = $1 AND EXISTS (SELECT 1 FROM heads o "
      "WHERE o.repository = $2 AND o.commit_id = heads.commit_id)",
      {from, to});
  db.run("UPDATE heads SET repository = $2 WHERE repository = $1", {from, to});
}

// In the order of their times, numbered anew.
void merge_visits(Statements& db, std::int64_t from, std::int64_t to) {
  std::vector<SqlRow> visits;
  db.run(
      "SELECT at, outcome, commit_id, release, detail FROM visits "
      "WHERE repository = $1 OR repository = $2 ORDER BY at, repository, number",
      {from, to}, [&](const SqlRow& row) { visits.push_back(row); });
  db.run("DELETE FROM visits WHERE repository = $1 OR repository = $2", {from, to});
  const auto kept = std::min(visits.size(), static_cast<std::size_t>(kMostVisits));
  std::int64_t number = 0;
  for (auto visit = visits.end() - static_cast<std::ptrdiff_t>(kept); visit != visits.end();
       ++visit) {
    SqlRow row{to, ++number};
    row.insert(row.end(), visit->begin(), visit->end());
    db.run(
        "INSERT INTO visits(repository, number, at, outcome, commit_id, release, detail) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        row);
  }
}

// That it was not to be found under its old name says nothing of the one that it has.
void drop_tombstone(Statements& db, std::int64_t from) {
  db.run("DELETE FROM tombstones WHERE repository = $1", {from});
}

void fill(Statements& db, const SqlRow& lost, std::int64_t to) {
  db.run(
      "UPDATE repositories SET "
      "name = CASE WHEN name = '' THEN $2 ELSE name END, "
      "description = CASE WHEN description = '' THEN $3 ELSE description END, "
      "default_branch = CASE WHEN default_branch = '' THEN $4 ELSE default_branch END, "
      "size = coalesce(size, $5), "
      "first_seen = CASE WHEN $6 < first_seen THEN $6 ELSE first_seen END, "
      "next_visit = CASE WHEN last_visit IS NULL THEN $8 ELSE next_visit END, "
      "unchanged = CASE WHEN last_visit IS NULL THEN $9 ELSE unchanged END, "
      "last_visit = coalesce(last_visit, $7), "
      "forge = CASE WHEN forge = '' THEN $10 ELSE forge END, "
      "forge_id = coalesce(forge_id, $11) WHERE id = $1",
      {to, lost[1], lost[2], lost[3], lost[4], lost[5], lost[6], lost[7], lost[8], lost[9],
       lost[10]});
}

}  // namespace

void merge(Statements& db, std::int64_t from, std::int64_t to) {
  // Whoever writes to it is waited for, and waits: PostgreSQL would let it refer to what is gone.
  db.run("UPDATE repositories SET size = size WHERE id = $1", {from});
  const auto lost = db.one(
      "SELECT url, name, description, default_branch, size, first_seen, last_visit, next_visit, "
      "unchanged, forge, forge_id FROM repositories WHERE id = $1",
      {from});
  if (!lost || from == to) return;
  merge_snapshots(db, from, to);
  merge_heads(db, from, to);
  merge_visits(db, from, to);
  drop_tombstone(db, from);
  db.run("UPDATE aliases SET repository = $2 WHERE repository = $1", {from, to});
  db.run("DELETE FROM repositories WHERE id = $1", {from});
  db.run(
      "INSERT INTO aliases(url, repository) VALUES ($1, $2) "
      "ON CONFLICT (url) DO UPDATE SET repository = excluded.repository",
      {(*lost)[0], to});
  fill(db, *lost, to);
}

}  // namespace tanggul::sync
