#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "tanggul/base/clock.h"

namespace tanggul::redis {

// How many nodes share the limits. More at once; fewer only once every count for so long has been
// lower, since nodes that live come back to a set that was lost at their next beat, and one that
// counts too few keeps too large a part. One thread.
class NodeCount {
 public:
  explicit NodeCount(Duration stands) : stands_(stands) {}

  std::size_t value() const { return value_; }  // 0: not known yet
  // True: the value is another one.
  bool counted(std::size_t nodes, MonoTime now) {
    if (nodes >= value_) {
      lower_since_.reset();
      return std::exchange(value_, nodes) != nodes;
    }
    if (!lower_since_) {
      lower_since_ = now;
      highest_ = 0;
    }
    highest_ = std::max(highest_, nodes);
    if (now - *lower_since_ < stands_) return false;
    lower_since_.reset();
    value_ = highest_;
    return true;
  }
  // Who was there meanwhile nobody knows.
  void not_counted() { lower_since_.reset(); }

 private:
  const Duration stands_;
  std::size_t value_ = 0;
  std::optional<MonoTime> lower_since_;
  std::size_t highest_ = 0;  // since then
};

}  // namespace tanggul::redis
