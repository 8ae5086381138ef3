#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ports/sql_session.h"
#include "sync/catalog/records.h"
#include "sync/catalog/visit.h"

namespace tanggul::sync {

// The research catalog: what repositories say, which papers they belong to, and what has become of
// them. The rows that one release has read of a repository at a commit are a snapshot; snapshots
// stand side by side, and which of them is true now follows from which releases are accepted
// (docs/catalog.md). Any number of processes may write the same catalog, each with a Catalog and
// session of its own; one thread at a time. Calls fail as the session does; with bad_input where
// what is given cannot be kept.
class Catalog {
 public:
  // Brings the database to this version's schema; refused: it is a newer one's.
  static Expected<Catalog> open(ports::SqlSession& session);

  // --- what the workers write ---
  struct Committed {
    bool new_commit = false;    // that had not been seen of it
    bool new_snapshot = false;  // else the same job has been done before
  };
  // All or nothing; doing it twice changes nothing but when it was last seen.
  Expected<Committed> commit(const Visit& visit);
  Expected<void> note(const Note& note);
  Expected<void> tombstone(const Tombstone& tombstone);
  // What was known by that URL is the repository `now`.
  Expected<void> renamed(const std::string& old_url, const RepositoryFacts& now, WallTime at);
  Expected<void> describe(const PaperFacts& paper);

  // --- what they ask ---
  Expected<bool> has(const std::string& url, const std::string& commit, const std::string& release);
  // URLs of repositories to be visited again, the longest overdue first; none with a tombstone that
  // was not lifted and whose time has not come.
  Expected<std::vector<std::string>> due(WallTime now, std::size_t most);
  // They are not due before then.
  Expected<void> postpone(const std::vector<std::string>& urls, WallTime until);
  Expected<std::vector<std::string>> undescribed_papers(std::size_t most);
  // Those that were not lifted, the latest first.
  Expected<std::vector<Tombstone>> recent_tombstones(std::size_t most);

  // --- which releases count ---
  // One flag each. What another release wrote stands as it was before; a release that nobody has
  // seen yet may be judged in advance.
  Expected<void> accept(const std::string& release, WallTime at);
  Expected<void> withdraw(const std::string& release, WallTime at);

  // --- what people ask ---
  Expected<std::optional<PaperRecord>> paper(const std::string& arxiv, std::size_t most_links);
  Expected<std::optional<RepositoryRecord>> repository(const std::string& url);
  // Each of the words, in any case of ASCII letters; at most kMostHits of a kind.
  static constexpr std::size_t kMostHits = 100, kMostWords = 8;
  Expected<std::vector<Hit>> search(const std::vector<std::string>& words);

  ports::SqlSession& session() { return session_; }

 private:
  explicit Catalog(ports::SqlSession& session) : session_(session) {}
  Expected<void> judge(const std::string& release, bool accepted, WallTime at);

  ports::SqlSession& session_;
};

}  // namespace tanggul::sync
