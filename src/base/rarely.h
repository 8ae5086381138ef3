#pragma once

#include <atomic>

#include "tanggul/base/clock.h"

namespace tanggul {

// For what is worth saying, but not each time. Thread-safe.
class Rarely {
 public:
  explicit Rarely(Duration pause) : pause_(pause.count()) {}

  // True the first time, and then once whenever `pause` has gone by since it last was.
  bool now() noexcept {
    const std::int64_t at = MonoClock::now().time_since_epoch().count();
    std::int64_t next = next_.load();
    return at >= next && next_.compare_exchange_strong(next, at + pause_);
  }

 private:
  const std::int64_t pause_;
  std::atomic<std::int64_t> next_{INT64_MIN};
};

}  // namespace tanggul
