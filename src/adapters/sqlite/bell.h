#pragma once

#include <condition_variable>
#include <cstdint>

#include "base/mutex.h"
#include "tanggul/base/clock.h"

namespace tanggul::sqlite {

// Lets threads wait for what another thread of this process may bring. Any thread.
class Bell {
 public:
  // To be taken before one looks whether there is something: a ring in between is then heard.
  std::uint64_t rings() {
    const Lock lock(mutex_);
    return rings_;
  }

  void ring() {
    {
      const Lock lock(mutex_);
      ++rings_;
    }
    rung_.notify_all();
  }

  // Until it has rung more often than `heard`.
  void wait(std::uint64_t heard, Duration at_most) {
    const Lock lock(mutex_);
    if (rings_ == heard) rung_.wait_for(mutex_, at_most);
  }

 private:
  Mutex mutex_;
  std::condition_variable_any rung_;
  std::uint64_t rings_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tanggul::sqlite
