#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sync/catalog/next_visit.h"
#include "sync/read/findings.h"
#include "tanggul/base/clock.h"

namespace tanggul::sync {

// What is known of a repository itself; nullopt: nothing new, what was known stays.
struct RepositoryFacts {
  std::string url;                       // canonical
  std::string forge;                     // the host of the forge whose number it is: "github.com"
  std::optional<std::int64_t> forge_id;  // stays when a repository is renamed: its identity
  std::optional<std::string> name, description, default_branch;
  std::optional<std::int64_t> size;  // bytes, as the forge has it
};

// What reads repositories, and on which track: "stable" or "canary".
struct Release {
  std::string name, track = "stable";
};

// A repository was read at a commit.
struct Visit {
  RepositoryFacts repository;
  std::string commit;
  Release release;
  WallTime at{};  // when the commit was seen to be its head
  Findings findings;
};

// A visit that read nothing.
struct Note {
  RepositoryFacts repository;
  Release release;
  WallTime at{};
  Outcome outcome = Outcome::unchanged;
  std::string commit;  // that is its head still; empty: none
  std::string detail;
};

// A repository that is not to be visited, and why.
struct Tombstone {
  std::string url;
  std::string reason;  // a word: "not_found", "blocked", "too_large" …
  std::string detail;
  std::string release;  // that said so
  WallTime at{};
  std::optional<WallTime> lifted_at;
};

// What arXiv says of a paper.
struct PaperFacts {
  std::string arxiv, title;
  std::vector<std::string> authors;
  std::optional<WallTime> published;
  WallTime fetched_at{};
};

}  // namespace tanggul::sync
