#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "cache/entry.h"
#include "cache/purge_journal.h"

namespace tanggul::cache {

// What was purged and when, counted in generations. Every purge begins a new one, and an entry of
// an earlier generation that a purge covers is outdated wherever it lies: in memory, on disk, or
// still on its way from the origin, since an entry is of the generation in which its fetch began.
// So a purge costs the same however much is stored, and what it covers is found when somebody asks
// for it (as Varnish does with its bans).
//
// Thread-safe. A look at an entry that was looked at since the last purge is one comparison.
// Of prefixes and URLs kMost are kept; beyond it the older half becomes a purge of their origins.
class Purges {
 public:
  using Rule = PurgeJournal::Rule;
  static constexpr std::size_t kMost = 10'000;

  // `journal`: the file that keeps them over a restart; empty: nothing does. A lost or unreadable
  // one outdates all that was stored before: better than to serve what was purged.
  explicit Purges(const std::string& journal = {});

  Generation now() const noexcept { return now_.load(std::memory_order_acquire); }
  // `what`: an origin's name, a tag, or a key (of which everything that is kept of one URL begins).
  // False: it holds, but could not be written down, and is forgotten at the next start.
  bool add(Rule rule, std::string_view what);
  bool outdated(std::string_view key, const Entry& entry) const {
    return entry.checked.get() != now() && covered(key, entry);
  }

 private:
  struct Prefix {
    Rule rule;
    std::string key;
    Generation generation;
  };

  bool covered(std::string_view key, const Entry& entry) const;
  bool covered_since(std::string_view key, const Entry& entry, Generation since) const
      REQUIRES(mutex_);
  void take(Rule rule, std::string_view what, Generation generation) REQUIRES(mutex_);
  void fold() REQUIRES(mutex_);

  mutable Mutex mutex_;
  PurgeJournal journal_ GUARDED_BY(mutex_);
  Generation floor_;  // what is older comes from before the journal's beginning
  std::atomic<Generation> now_;
  std::map<std::string, Generation, std::less<>> origins_ GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, Generation> tags_ GUARDED_BY(mutex_);
  std::vector<Prefix> prefixes_ GUARDED_BY(mutex_);  // in the order of their generations
};

// Whether `key` is `target` itself or one of its variants, forms and remembered failures.
bool belongs_to(std::string_view key, std::string_view target) noexcept;

}  // namespace tanggul::cache
