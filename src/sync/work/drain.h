#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "tanggul/base/clock.h"

namespace tanggul::sync {

// The worker is to end: nothing more is claimed, and what runs may go on for a grace. Any thread.
class Drain {
 public:
  void begin(Duration grace) {
    {
      const std::lock_guard lock(mutex_);
      if (!begun_) until_ = MonoClock::now() + grace;
      begun_ = true;
    }
    changed_.notify_all();
  }
  // The grace is over.
  void end_now() {
    const std::lock_guard lock(mutex_);
    until_ = MonoTime::min();
  }
  bool begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  bool over() const {
    const std::lock_guard lock(mutex_);
    return begun_ && MonoClock::now() >= until_;
  }
  // True: it has begun by then.
  bool wait(Duration at_most) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return begun_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool begun_ = false;
  MonoTime until_ = kForever;
};

}  // namespace tanggul::sync
