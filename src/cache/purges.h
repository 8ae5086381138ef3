#pragma once

#include <atomic>
#include <cstdint>
#include <list>
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
// Thread-safe. A look at an entry that was looked at since the last purge is one comparison, and
// none waits for the disk. Of URLs, prefixes and tags kMost each are kept; beyond it the older half
// becomes a purge of all of its kind, of their origins or of whatever carries tags.
class Purges {
 public:
  using Rule = PurgeJournal::Rule;
  static constexpr std::size_t kMost = 10'000;

  // `journal`: the file that keeps them over a restart; empty: nothing does. A lost or unreadable
  // one outdates all that was stored before: better than to serve what was purged.
  explicit Purges(const std::string& journal = {});

  Generation now() const noexcept { return now_.load(std::memory_order_acquire); }
  // `what`: an origin's name, a tag, or a key (of which everything that is kept of one URL begins).
  // Holds at once. False: it could not be written down, and is forgotten at the next start.
  bool add(Rule rule, std::string_view what);
  // Waits until what was added outlasts a power cut, too. False: it may not.
  bool sync();
  bool outdated(std::string_view key, const Entry& entry) const {
    return entry.checked.get() != now() && covered(key, entry);
  }

 private:
  struct Prefix {
    Rule rule;
    std::string key;
    Generation generation;
  };
  using Generations = std::map<std::string, Generation, std::less<>>;  // by origin

  bool covered(std::string_view key, const Entry& entry) const;
  bool covered_since(std::string_view key, const Entry& entry, Generation since) const
      REQUIRES(mutex_);
  void take(const PurgeJournal::Record& record) REQUIRES(mutex_);
  void take_prefix(const PurgeJournal::Record& record) REQUIRES(mutex_);
  void fold_prefixes() REQUIRES(mutex_);
  void fold_tags() REQUIRES(mutex_);
  std::vector<PurgeJournal::Record> records() const;

  Mutex writing_;  // outer: keeps the journal in the order of the generations
  PurgeJournal journal_ GUARDED_BY(writing_);
  const Generation floor_;  // what is older comes from before the journal's beginning
  std::atomic<Generation> now_;
  mutable Mutex mutex_;
  Generations origins_ GUARDED_BY(mutex_);
  Generations documents_ GUARDED_BY(mutex_);  // all of an origin's
  std::unordered_map<std::uint64_t, Generation> tags_ GUARDED_BY(mutex_);
  Generation all_tags_ GUARDED_BY(mutex_) = 0;
  std::list<Prefix> prefixes_ GUARDED_BY(mutex_);  // in the order of their generations
  std::unordered_map<std::string, std::list<Prefix>::iterator> by_key_ GUARDED_BY(mutex_);
};

// Whether `key` is `target` itself or one of its variants, forms and remembered failures.
bool belongs_to(std::string_view key, std::string_view target) noexcept;

}  // namespace tanggul::cache
