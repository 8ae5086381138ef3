#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/bytes.h"
#include "sync/catalog/catalog.h"
#include "sync/catalog/cells.h"
#include "sync/catalog/identity.h"

namespace tanggul::sync {
namespace {

using ports::SqlRow;
using ports::SqlValue;

constexpr std::size_t kLongestWord = 200;

std::optional<std::string> maybe_text(const SqlValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

PaperLink paper_link(const SqlRow& row) {
  PaperLink link;
  link.url = text_of(row[0]);
  link.commit = text_of(row[1]);
  link.release = text_of(row[2]);
  link.own = whole_of(row[3]) != 0;
  link.score = number_of(row[4]);
  link.version = whole_of(row[5]);
  link.mentions = whole_of(row[6]);
  link.file = text_of(row[7]);
  link.line = whole_of(row[8]);
  link.evidence_json = text_of(row[9]);
  link.reasons_json = text_of(row[10]);
  link.gone = text_of(row[11]);
  return link;
}

void read_aliases(Statements& db, RepositoryRecord& out) {
  db.run("SELECT url FROM aliases WHERE repository = $1 ORDER BY url", {out.id},
         [&](const SqlRow& row) { out.aliases.push_back(text_of(row[0])); });
}

void read_tombstone(Statements& db, RepositoryRecord& out) {
  const auto row =
      db.one("SELECT reason, detail, release, at, lifted_at FROM tombstones WHERE repository = $1",
             {out.id});
  if (row)
    out.tombstone = Tombstone{out.facts.url,
                              text_of((*row)[0]),
                              text_of((*row)[1]),
                              text_of((*row)[2]),
                              from_micros(whole_of((*row)[3])),
                              maybe_time_of((*row)[4])};
}

void read_snapshots(Statements& db, RepositoryRecord& out) {
  db.run(
      "SELECT s.commit_id, s.release, r.track, r.accepted, "
      "CASE WHEN c.id IS NULL THEN 0 ELSE 1 END, h.last_seen, s.files_read, s.bytes_read, "
      "(SELECT count(*) FROM links l WHERE l.snapshot = s.id), "
      "(SELECT count(*) FROM results v WHERE v.snapshot = s.id) FROM snapshots s "
      "JOIN releases r ON r.name = s.release "
      "JOIN heads h ON h.repository = s.repository AND h.commit_id = s.commit_id "
      "LEFT JOIN current_snapshots c ON c.id = s.id WHERE s.repository = $1 "
      "ORDER BY h.last_seen DESC, s.commit_id DESC, r.accepted_order DESC, s.release",
      {out.id}, [&](const SqlRow& row) {
        out.snapshots.push_back({text_of(row[0]), text_of(row[1]), text_of(row[2]),
                                 whole_of(row[3]) != 0, whole_of(row[4]) != 0,
                                 from_micros(whole_of(row[5])), whole_of(row[6]), whole_of(row[7]),
                                 whole_of(row[8]), whole_of(row[9])});
      });
}

void read_visits(Statements& db, RepositoryRecord& out) {
  db.run(
      "SELECT at, outcome, commit_id, release, detail FROM visits WHERE repository = $1 "
      "ORDER BY number DESC",
      {out.id}, [&](const SqlRow& row) {
        out.visits.push_back({from_micros(whole_of(row[0])), text_of(row[1]), text_of(row[2]),
                              text_of(row[3]), text_of(row[4])});
      });
}

// What contains it, for LIKE with \ as the escape.
std::string pattern(const std::string& word) {
  std::string out = "%";
  for (const char c : to_lower(word)) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out + "%";
}

// True where `text`, an expression of SQL, has each of the words $1, $2, …
std::string has_words(std::string_view text, std::size_t words) {
  std::string out;
  for (std::size_t i = 1; i <= words; ++i)
    fmt::format_to(std::back_inserter(out), R"({}lower({}) LIKE ${} ESCAPE '\')",
                   i == 1 ? "" : " AND ", text, i);
  return out;
}

// The three columns of a Hit's id and text, by kind.
std::string search_text(std::string_view kind, std::size_t words) {
  const auto where = [words](std::string_view text) { return has_words(text, words); };
  std::string out;
  if (kind == "paper")
    out = "SELECT arxiv, coalesce(title, '') FROM papers WHERE " +
          where("arxiv || ' ' || coalesce(title, '')") + " ORDER BY arxiv";
  else if (kind == "repository")
    out = "SELECT url, description FROM repositories WHERE " +
          where("url || ' ' || name || ' ' || description") + " ORDER BY url";
  else if (kind == "model")
    out =
        "SELECT x.name, min(x.url) FROM (SELECT model AS name, url FROM current_model_rows "
        "UNION ALL SELECT name_or_path, url FROM current_models) AS x WHERE x.name <> '' AND " +
        where("x.name") + " GROUP BY x.name ORDER BY x.name";
  else
    out =
        "SELECT x.name, min(x.url) FROM (SELECT dataset AS name, url FROM current_model_rows "
        "UNION ALL SELECT dataset_name, url FROM current_model_rows "
        "UNION ALL SELECT dataset, url FROM current_results) AS x WHERE x.name <> '' AND " +
        where("x.name") + " GROUP BY x.name ORDER BY x.name";
  return fmt::format("{} LIMIT {}", out, Catalog::kMostHits);
}

}  // namespace

Expected<std::optional<PaperRecord>> Catalog::paper(const std::string& arxiv,
                                                    std::size_t most_links) {
  Statements db(session_);
  std::optional<PaperRecord> out;
  const auto row = db.one("SELECT arxiv, title, authors, published FROM papers WHERE arxiv = $1",
                          {stored(arxiv)});
  if (row) {
    out.emplace();
    out->arxiv = text_of((*row)[0]);
    out->title = maybe_text((*row)[1]);
    out->authors_json = maybe_text((*row)[2]);
    out->published = maybe_time_of((*row)[3]);
    const auto count = db.one("SELECT count(*) FROM current_links WHERE paper = $1", {out->arxiv});
    out->repositories = count ? whole_of((*count)[0]) : 0;
    db.run(
        "SELECT l.url, l.commit_id, l.release, l.own, l.score, l.version, l.mentions, l.file, "
        "l.line, l.evidence, l.reasons, t.reason FROM current_links l LEFT JOIN tombstones t "
        "ON t.repository = l.repository AND t.lifted_at IS NULL WHERE l.paper = $1 "
        "ORDER BY l.own DESC, l.score DESC, l.url LIMIT $2",
        {out->arxiv, whole(most_links)},
        [&](const SqlRow& found) { out->links.push_back(paper_link(found)); });
  }
  if (auto ended = db.ended(); !ended) return ended.error();
  return out;
}

Expected<std::optional<RepositoryRecord>> Catalog::repository(const std::string& url) {
  Statements db(session_);
  std::optional<RepositoryRecord> out;
  if (const auto id = find_repository(db, url)) {
    const auto row = db.one(
        "SELECT url, forge, forge_id, name, description, default_branch, size, first_seen, "
        "last_visit, next_visit FROM repositories WHERE id = $1",
        {*id});
    if (row) {
      const SqlRow& r = *row;
      out.emplace();
      out->id = *id;
      out->facts = {text_of(r[0]),    text_of(r[1]),    maybe_whole_of(r[2]), maybe_text(r[3]),
                    maybe_text(r[4]), maybe_text(r[5]), maybe_whole_of(r[6])};
      out->first_seen = from_micros(whole_of(r[7]));
      out->last_visit = maybe_time_of(r[8]);
      out->next_visit = maybe_time_of(r[9]);
      read_aliases(db, *out);
      read_tombstone(db, *out);
      read_snapshots(db, *out);
      read_visits(db, *out);
    }
  }
  if (auto ended = db.ended(); !ended) return ended.error();
  return out;
}

Expected<std::vector<Hit>> Catalog::search(const std::vector<std::string>& words) {
  std::vector<Hit> out;
  SqlRow patterns;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    if (word.size() > kLongestWord || patterns.size() == kMostWords)
      return Failure{Errc::bad_input, fmt::format("at most {} words of {} bytes are looked for",
                                                  kMostWords, kLongestWord)};
    patterns.emplace_back(pattern(stored(word)));
  }
  if (patterns.empty()) return Failure{Errc::bad_input, "there is no word to look for"};
  Statements db(session_);
  for (const char* kind : {"paper", "repository", "model", "dataset"}) {
    const auto add = [&](const SqlRow& row) {
      out.push_back({kind, text_of(row[0]), text_of(row[1])});
    };
    db.run(search_text(kind, patterns.size()), patterns, add);
  }
  if (auto ended = db.ended(); !ended) return ended.error();
  return out;
}

}  // namespace tanggul::sync
