#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sync/catalog/visit.h"

namespace tanggul::sync {

// What is true now, as people ask for it. Strings named json are JSON texts.

// One repository that names a paper.
struct PaperLink {
  std::string url, commit, release;
  bool own = false;
  double score = 0;
  std::int64_t version = 0;  // 0: none was given
  std::int64_t mentions = 0;
  std::string file;  // where it is named first
  std::int64_t line = 0;
  std::string evidence_json, reasons_json;
  std::string gone;  // why the repository is not visited any more; empty: it is
};

struct PaperRecord {
  std::string arxiv;
  std::optional<std::string> title, authors_json;
  std::optional<WallTime> published;
  std::int64_t repositories = 0;  // that name it; of them the first, own ones before
  std::vector<PaperLink> links;
};

// One release's reading of a repository at a commit.
struct SnapshotRecord {
  std::string commit, release, track;
  bool accepted = false, current = false;
  WallTime last_seen{};
  std::int64_t files_read = 0, bytes_read = 0, links = 0, results = 0;
};

struct VisitRecord {
  WallTime at{};
  std::string outcome, commit, release, detail;
};

struct RepositoryRecord {
  std::int64_t id = 0;
  RepositoryFacts facts;
  WallTime first_seen{};
  std::optional<WallTime> last_visit, next_visit;
  std::vector<std::string> aliases;
  std::optional<Tombstone> tombstone;
  std::vector<SnapshotRecord> snapshots;  // the head seen last first
  std::vector<VisitRecord> visits;        // the latest first
};

struct Hit {
  std::string kind;  // "paper", "repository", "model", "dataset"
  std::string id;    // its arXiv number, its URL, its name
  std::string text;  // title, description; of models and data sets a repository that names it
};

}  // namespace tanggul::sync
