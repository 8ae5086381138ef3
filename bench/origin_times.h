#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "support/script.h"
#include "tanggul/base/clock.h"

namespace tanggul::bench {

// When an origin was asked. Written on its thread, read on any.
class OriginTimes {
 public:
  void note();
  std::size_t total() const;
  std::vector<MonoTime> all() const;
  // The most requests within any stretch of this length.
  std::size_t most_within(Duration length) const;

 private:
  mutable std::mutex mutex_;
  std::vector<MonoTime> times_;
};

// Notes each request, then does as `then` says.
test::Script noted(std::shared_ptr<OriginTimes> times, test::Script then);

}  // namespace tanggul::bench
