#pragma once

#include <signal.h>
#include <time.h>

#include "tanggul/base/clock.h"

namespace tanggul::app {

// SIGTERM and SIGINT, taken by whoever asks for them; blocked in every thread that is started
// after.
class EndSignals {
 public:
  EndSignals() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGTERM);
    ::sigaddset(&set_, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  // True: one has come by then.
  bool wait(Duration at_most) const {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(at_most);
    const timespec time{whole.count(), (at_most - whole).count()};
    return ::sigtimedwait(&set_, nullptr, &time) > 0;
  }

 private:
  sigset_t set_{};
};

}  // namespace tanggul::app
