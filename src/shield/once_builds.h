#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "tanggul/base/clock.h"

namespace tanggul::shield {

// The latest builds that this node has taken or heard the failure of, newest first, at most kMost.
// Thread-safe.
class OnceBuilds {
 public:
  static constexpr std::size_t kMost = 20;

  struct Build {
    std::string key, by;
    WallTime at;
    ByteCount size = 0;
    int status = 0;  // of the command; 0: it did well
  };

  void add(Build build);
  std::vector<Build> latest() const;

 private:
  mutable Mutex mutex_;
  std::deque<Build> builds_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::shield
