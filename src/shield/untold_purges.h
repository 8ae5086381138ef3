#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "ports/membership.h"

namespace tanggul::shield {

// The purges of this node that the others have not been told of, in a file as well: who ends before
// the store can be reached again tells them at the next start. Lines of a rule's number and base64;
// one that is torn is none, and one that is told twice does no harm. Thread-safe.
class UntoldPurges {
 public:
  // As many are kept while they wait to be told.
  static constexpr std::size_t kMost = 10'000;

  explicit UntoldPurges(std::string file);  // empty: none

  // Those of the process before this one, until take_over() puts them down as this one's: never
  // half of them, and never more at each start.
  std::vector<ports::SharedPurge> former() const { return former_; }
  bool take_over(const std::vector<ports::SharedPurge>& purges);
  // False: it is not written down.
  bool add(const ports::SharedPurge& purge);
  void told(const ports::SharedPurge& purge);

 private:
  static std::string line_of(const ports::SharedPurge& purge);

  const std::string file_;
  std::vector<ports::SharedPurge> former_;
  Mutex mutex_;
  std::unordered_multiset<std::string> lines_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::shield
