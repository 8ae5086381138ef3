#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/mutex.h"
#include "tanggul/base/clock.h"

namespace tanggul::shield {

// The keys of one origin whose whole is too large to be fetched for the sake of a range, each for
// an hour. Bounded: the one that ends first makes room. Thread-safe.
class LargeObjects {
 public:
  void note(const std::string& key, ByteCount size, MonoTime now);
  std::optional<ByteCount> size_of(const std::string& key, MonoTime now) const;

 private:
  static constexpr Duration kKept = 1h;
  static constexpr std::size_t kMost = 4096;

  struct Known {
    ByteCount size = 0;
    MonoTime until;
  };
  mutable Mutex mutex_;
  std::map<std::string, Known> known_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::shield
