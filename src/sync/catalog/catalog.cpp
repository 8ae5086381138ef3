#include "sync/catalog/catalog.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "sync/catalog/cells.h"
#include "sync/catalog/identity.h"
#include "sync/catalog/json_cells.h"
#include "sync/catalog/merge.h"
#include "sync/catalog/schema.h"
#include "sync/catalog/snapshot.h"

namespace tanggul::sync {
namespace {

using ports::SqlRow;

// What stands in an index has to fit into a page of it (PostgreSQL: 2704 bytes).
constexpr std::size_t kLongestUrl = 2048, kLongestName = 255;

std::optional<Failure> fault_of_name(std::string_view what, std::string_view text,
                                     std::size_t longest) {
  if (!text.empty() && text.size() <= longest) return std::nullopt;
  return Failure{Errc::bad_input,
                 fmt::format("{} of {} bytes; 1 to {} can be kept", what, text.size(), longest)};
}

std::optional<Failure> fault_of(const RepositoryFacts& facts) {
  if (auto fault = fault_of_name("a URL", facts.url, kLongestUrl)) return fault;
  if (facts.forge_id && facts.forge.empty())
    return Failure{Errc::bad_input, "a forge's number without the forge"};
  return std::nullopt;
}

std::optional<Failure> fault_of(const Visit& visit) {
  if (auto fault = fault_of(visit.repository)) return fault;
  if (auto fault = fault_of_name("a commit", visit.commit, kLongestName)) return fault;
  if (auto fault = fault_of_name("a release's name", visit.release.name, kLongestName))
    return fault;
  for (const readers::Paper& paper : visit.findings.papers)
    if (auto fault = fault_of_name("an identifier", paper.arxiv, kLongestName)) return fault;
  return std::nullopt;
}

// Its numbers rise with each acceptance; nobody else gets one before this transaction has ended.
std::int64_t next_acceptance(Statements& db) {
  const auto row =
      db.one("UPDATE counters SET value = value + 1 WHERE name = 'acceptance' RETURNING value", {});
  return row ? whole_of((*row)[0]) : 0;
}

// A release is accepted by being seen on the stable track first, and by nothing else but accept().
void see_release(Statements& db, const Release& release, WallTime at) {
  const std::string name = stored(release.name);
  if (name.empty() || db.one("SELECT 1 FROM releases WHERE name = $1", {name})) return;
  const bool stable = release.track == "stable";
  db.run(
      "INSERT INTO releases(name, track, first_seen, accepted, accepted_order) "
      "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
      {name, stored(release.track), micros(at), flag(stable),
       stable ? next_acceptance(db) : std::int64_t{0}});
}

// True: it had not been seen. A head that is seen later is the later one, whoever writes first.
bool see_head(Statements& db, std::int64_t repository, const std::string& commit, WallTime at) {
  const bool is_new = !db.one("SELECT 1 FROM heads WHERE repository = $1 AND commit_id = $2",
                              {repository, stored(commit)});
  db.run(
      "INSERT INTO heads(repository, commit_id, last_seen) VALUES ($1, $2, $3) "
      "ON CONFLICT (repository, commit_id) DO UPDATE SET last_seen = "
      "CASE WHEN excluded.last_seen > heads.last_seen THEN excluded.last_seen "
      "ELSE heads.last_seen END",
      {repository, stored(commit), micros(at)});
  return is_new;
}

void keep_pace(Statements& db, std::int64_t repository, Outcome outcome, WallTime at) {
  const auto row = db.one(
      "SELECT unchanged, last_visit, next_visit FROM repositories WHERE id = $1", {repository});
  if (!row) return;
  const Pace before{whole_of((*row)[0]), maybe_time_of((*row)[1]), maybe_time_of((*row)[2])};
  const Pace after = after_visit(before, outcome, at);
  db.run("UPDATE repositories SET unchanged = $2, last_visit = $3, next_visit = $4 WHERE id = $1",
         {repository, after.unchanged, or_null(after.last), or_null(after.next)});
}

struct Entry {
  WallTime at;
  std::string outcome, commit, release, detail;
};

void log_visit(Statements& db, std::int64_t repository, const Entry& entry) {
  const auto last =
      db.one("SELECT coalesce(max(number), 0) FROM visits WHERE repository = $1", {repository});
  const std::int64_t number = (last ? whole_of((*last)[0]) : 0) + 1;
  db.run(
      "INSERT INTO visits(repository, number, at, outcome, commit_id, release, detail) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7)",
      {repository, number, micros(entry.at), entry.outcome, stored(entry.commit),
       stored(entry.release), stored(entry.detail)});
  db.run("DELETE FROM visits WHERE repository = $1 AND number <= $2",
         {repository, number - kMostVisits});
}

void lift_tombstone(Statements& db, std::int64_t repository, WallTime at) {
  db.run("UPDATE tombstones SET lifted_at = $2 WHERE repository = $1 AND lifted_at IS NULL",
         {repository, micros(at)});
}

std::string summary(const Findings& findings) {
  return fmt::format("{} files, {} papers", findings.files_read, findings.papers.size());
}

Catalog::Committed write(Statements& db, const Visit& visit) {
  Catalog::Committed out;
  see_release(db, visit.release, visit.at);
  const std::int64_t repository = settle(db, visit.repository, visit.at);
  out.new_commit = see_head(db, repository, visit.commit, visit.at);
  out.new_snapshot = put_snapshot(
      db, {repository, stored(visit.commit), stored(visit.release.name)}, visit.findings);
  lift_tombstone(db, repository, visit.at);
  const Outcome outcome = out.new_commit ? Outcome::changed : Outcome::unchanged;
  keep_pace(db, repository, outcome, visit.at);
  log_visit(db, repository,
            {visit.at, std::string(name(outcome)), visit.commit, visit.release.name,
             summary(visit.findings)});
  return out;
}

}  // namespace

Expected<Catalog> Catalog::open(ports::SqlSession& session) {
  if (auto migrated = migrate(session); !migrated) return migrated.error();
  return Catalog(session);
}

Expected<Catalog::Committed> Catalog::commit(const Visit& visit) {
  if (auto fault = fault_of(visit)) return *fault;
  Committed out;
  const auto done = session_.transaction([&] {
    Statements db(session_);
    out = write(db, visit);
    return db.ended();
  });
  if (!done) return done.error();
  return out;
}

Expected<void> Catalog::note(const Note& note) {
  if (auto fault = fault_of(note.repository)) return *fault;
  return session_.transaction([&] {
    Statements db(session_);
    see_release(db, note.release, note.at);
    const std::int64_t repository = settle(db, note.repository, note.at);
    if (!note.commit.empty()) see_head(db, repository, note.commit, note.at);
    if (note.outcome == Outcome::changed || note.outcome == Outcome::unchanged)
      lift_tombstone(db, repository, note.at);  // there it is
    keep_pace(db, repository, note.outcome, note.at);
    log_visit(
        db, repository,
        {note.at, std::string(name(note.outcome)), note.commit, note.release.name, note.detail});
    return db.ended();
  });
}

Expected<void> Catalog::tombstone(const Tombstone& tombstone) {
  RepositoryFacts facts;
  facts.url = tombstone.url;
  if (auto fault = fault_of(facts)) return *fault;
  return session_.transaction([&] {
    Statements db(session_);
    const std::int64_t repository = settle(db, facts, tombstone.at);
    db.run(
        "INSERT INTO tombstones(repository, reason, detail, release, at, lifted_at) "
        "VALUES ($1, $2, $3, $4, $5, NULL) ON CONFLICT (repository) DO UPDATE SET "
        "reason = excluded.reason, detail = excluded.detail, release = excluded.release, "
        "at = excluded.at, lifted_at = NULL",
        {repository, stored(tombstone.reason), stored(tombstone.detail), stored(tombstone.release),
         micros(tombstone.at)});
    keep_pace(db, repository, Outcome::not_found, tombstone.at);
    log_visit(db, repository,
              {tombstone.at, "tombstone", "", tombstone.release,
               tombstone.reason + (tombstone.detail.empty() ? "" : ": " + tombstone.detail)});
    return db.ended();
  });
}

Expected<void> Catalog::renamed(const std::string& old_url, const RepositoryFacts& now,
                                WallTime at) {
  if (auto fault = fault_of(now)) return *fault;
  if (auto fault = fault_of_name("a URL", old_url, kLongestUrl)) return *fault;
  return session_.transaction([&] {
    Statements db(session_);
    rename(db, old_url, now, at);
    return db.ended();
  });
}

Expected<void> Catalog::describe(const PaperFacts& paper) {
  if (auto fault = fault_of_name("an identifier", paper.arxiv, kLongestName)) return *fault;
  Statements db(session_);
  db.run(
      "INSERT INTO papers(arxiv, title, authors, published, fetched_at) "
      "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (arxiv) DO UPDATE SET title = excluded.title, "
      "authors = excluded.authors, published = excluded.published, "
      "fetched_at = excluded.fetched_at",
      {stored(paper.arxiv), stored(paper.title), json_cell(paper.authors), or_null(paper.published),
       micros(paper.fetched_at)});
  return db.ended();
}

Expected<void> Catalog::judge(const std::string& release, bool accepted, WallTime at) {
  if (auto fault = fault_of_name("a release's name", release, kLongestName)) return *fault;
  return session_.transaction([&] {
    Statements db(session_);
    db.run(
        "INSERT INTO releases(name, track, first_seen, accepted, accepted_order) "
        "VALUES ($1, '', $2, 0, 0) ON CONFLICT DO NOTHING",
        {stored(release), micros(at)});
    if (!accepted) {
      db.run("UPDATE releases SET accepted = 0 WHERE name = $1", {stored(release)});
      return db.ended();
    }
    const std::int64_t order = next_acceptance(db);
    db.run("UPDATE releases SET accepted = 1, accepted_order = $2 WHERE name = $1 AND accepted = 0",
           {stored(release), order});
    return db.ended();
  });
}

Expected<void> Catalog::accept(const std::string& release, WallTime at) {
  return judge(release, true, at);
}
Expected<void> Catalog::withdraw(const std::string& release, WallTime at) {
  return judge(release, false, at);
}

Expected<bool> Catalog::has(const std::string& url, const std::string& commit,
                            const std::string& release) {
  Statements db(session_);
  const auto repository = find_repository(db, url);
  const bool there =
      repository &&
      db.one("SELECT 1 FROM snapshots WHERE repository = $1 AND commit_id = $2 AND release = $3",
             {*repository, stored(commit), stored(release)});
  if (auto ended = db.ended(); !ended) return ended.error();
  return there;
}

Expected<std::vector<std::string>> Catalog::due(WallTime now, std::size_t most) {
  std::vector<std::string> out;
  Statements db(session_);
  db.run("SELECT url FROM repositories WHERE next_visit <= $1 ORDER BY next_visit, url LIMIT $2",
         {micros(now), whole(most)}, [&](const SqlRow& row) { out.push_back(text_of(row[0])); });
  if (auto ended = db.ended(); !ended) return ended.error();
  return out;
}

Expected<void> Catalog::postpone(const std::vector<std::string>& urls, WallTime until) {
  return session_.transaction([&] {
    Statements db(session_);
    for (const std::string& url : urls)
      db.run("UPDATE repositories SET next_visit = $2 WHERE url = $1 AND next_visit < $2",
             {stored(url), micros(until)});
    return db.ended();
  });
}

Expected<std::vector<std::string>> Catalog::undescribed_papers(std::size_t most) {
  std::vector<std::string> out;
  Statements db(session_);
  db.run("SELECT arxiv FROM papers WHERE fetched_at IS NULL ORDER BY arxiv LIMIT $1", {whole(most)},
         [&](const SqlRow& row) { out.push_back(text_of(row[0])); });
  if (auto ended = db.ended(); !ended) return ended.error();
  return out;
}

Expected<std::vector<Tombstone>> Catalog::recent_tombstones(std::size_t most) {
  std::vector<Tombstone> out;
  Statements db(session_);
  db.run(
      "SELECT r.url, t.reason, t.detail, t.release, t.at, t.lifted_at FROM tombstones t "
      "JOIN repositories r ON r.id = t.repository WHERE t.lifted_at IS NULL "
      "ORDER BY t.at DESC, r.url LIMIT $1",
      {whole(most)}, [&](const SqlRow& row) {
        out.push_back({text_of(row[0]), text_of(row[1]), text_of(row[2]), text_of(row[3]),
                       from_micros(whole_of(row[4])), maybe_time_of(row[5])});
      });
  if (auto ended = db.ended(); !ended) return ended.error();
  return out;
}

}  // namespace tanggul::sync
