#include "sync/catalog/identity.h"

#include "sync/catalog/cells.h"
#include "sync/catalog/merge.h"
#include "tanggul/base/random.h"

namespace tanggul::sync {
namespace {

using ports::SqlRow;

struct Known {
  std::int64_t id = 0;
  std::string url;
  std::optional<std::int64_t> forge_id;
};

std::optional<Known> known(const std::optional<SqlRow>& row) {
  if (!row) return std::nullopt;
  return Known{whole_of((*row)[0]), text_of((*row)[1]), maybe_whole_of((*row)[2])};
}

std::optional<Known> by_number(Statements& db, const RepositoryFacts& facts) {
  if (!facts.forge_id) return std::nullopt;
  return known(
      db.one("SELECT id, url, forge_id FROM repositories WHERE forge = $1 AND forge_id = $2",
             {stored(facts.forge), *facts.forge_id}));
}

std::optional<Known> by_url(Statements& db, const std::string& url) {
  return known(db.one("SELECT id, url, forge_id FROM repositories WHERE url = $1", {stored(url)}));
}

std::optional<Known> by_alias(Statements& db, const std::string& url) {
  return known(
      db.one("SELECT r.id, r.url, r.forge_id FROM aliases a JOIN repositories r "
             "ON r.id = a.repository WHERE a.url = $1",
             {stored(url)}));
}

bool another(const Known& row, const RepositoryFacts& facts) {
  return row.forge_id && facts.forge_id && *row.forge_id != *facts.forge_id;
}

void drop_alias(Statements& db, const std::string& url) {
  db.run("DELETE FROM aliases WHERE url = $1", {stored(url)});
}

void add_alias(Statements& db, const std::string& url, std::int64_t id) {
  db.run(
      "INSERT INTO aliases(url, repository) VALUES ($1, $2) "
      "ON CONFLICT (url) DO UPDATE SET repository = excluded.repository",
      {stored(url), id});
}

// A name that is given anew belongs to the new repository. The one that had it keeps its rows,
// under the name with its number, which is no URL of anything.
void give_up_url(Statements& db, const Known& row) {
  db.run("UPDATE repositories SET url = $1 WHERE id = $2",
         {row.url + "#" + std::to_string(row.forge_id.value_or(row.id)), row.id});
}

// The repository of that number has moved to that URL.
void move(Statements& db, const Known& row, const RepositoryFacts& facts) {
  if (const auto there = by_url(db, facts.url)) {
    if (another(*there, facts))
      give_up_url(db, *there);
    else
      merge(db, there->id, row.id);
  }
  drop_alias(db, facts.url);
  db.run("UPDATE repositories SET url = $1 WHERE id = $2", {stored(facts.url), row.id});
  add_alias(db, row.url, row.id);
}

std::optional<std::int64_t> found(Statements& db, const RepositoryFacts& facts) {
  if (const auto row = by_number(db, facts)) {
    if (row->url != stored(facts.url)) move(db, *row, facts);
    return row->id;
  }
  if (const auto row = by_url(db, facts.url)) {
    if (!another(*row, facts)) return row->id;
    give_up_url(db, *row);
    return std::nullopt;
  }
  const auto row = by_alias(db, facts.url);
  if (row && !another(*row, facts)) return row->id;
  if (row) drop_alias(db, facts.url);
  return std::nullopt;
}

void make(Statements& db, const RepositoryFacts& facts, WallTime at) {
  // Any number will do that no other has: another process may be making rows too.
  const auto id = static_cast<std::int64_t>(thread_rng().bits() >> 1);
  db.run(
      "INSERT INTO repositories(id, url, forge, forge_id, name, description, default_branch, size, "
      "first_seen, last_visit, next_visit, unchanged) "
      "VALUES ($1, $2, $3, $4, '', '', '', NULL, $5, NULL, $5, 0) ON CONFLICT DO NOTHING",
      {id, stored(facts.url), stored(facts.forge), or_null(facts.forge_id), micros(at)});
}

// Changes it in any case, and so holds it. False: it is not there any more, another transaction
// having merged it with another.
bool note_facts(Statements& db, std::int64_t id, const RepositoryFacts& facts, WallTime at) {
  return db.run(
             "UPDATE repositories SET forge = CASE WHEN $2 = '' THEN forge ELSE $2 END, "
             "forge_id = coalesce($3, forge_id), name = coalesce($4, name), "
             "description = coalesce($5, description), "
             "default_branch = coalesce($6, default_branch), size = coalesce($7, size), "
             "first_seen = CASE WHEN $8 < first_seen THEN $8 ELSE first_seen END WHERE id = $1",
             {id, stored(facts.forge), or_null(facts.forge_id), or_null(facts.name),
              or_null(facts.description), or_null(facts.default_branch), or_null(facts.size),
              micros(at)}) == 1;
}

}  // namespace

std::optional<std::int64_t> find_repository(Statements& db, const std::string& url) {
  auto row = by_url(db, url);
  if (!row) row = by_alias(db, url);
  return row ? std::optional(row->id) : std::nullopt;
}

std::int64_t settle(Statements& db, const RepositoryFacts& facts, WallTime at) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries && !db.failed(); ++i) {
    const auto id = found(db, facts);
    if (!id)
      make(db, facts, at);  // by us or by another, it is there then
    else if (note_facts(db, *id, facts, at))
      return *id;
  }
  db.fail({Errc::limit, "the repository is being renamed by others"});
  return 0;
}

void rename(Statements& db, const std::string& old_url, const RepositoryFacts& now, WallTime at) {
  const std::int64_t id = settle(db, now, at);
  if (stored(old_url) == stored(now.url)) return;
  const auto old = by_url(db, old_url);
  if (!old) return add_alias(db, old_url, id);
  if (old->id == id || another(*old, now)) return;
  merge(db, old->id, id);
  add_alias(db, old_url, id);
}

}  // namespace tanggul::sync
