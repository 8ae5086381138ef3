#pragma once

#include <boost/asio/basic_waitable_timer.hpp>

#include "async/task.h"
#include "tanggul/base/clock.h"

namespace tanggul::async {

// Under a VirtualClock the reactor must not sleep for real time: it polls, and the test advances.
struct VirtualAwareTraits {
  static Duration to_wait_duration(Duration d) {
    return VirtualClock::active() ? Duration::zero() : d;
  }
  static Duration to_wait_duration(MonoTime t) {
    if (VirtualClock::active()) return Duration::zero();
    return t - MonoClock::now();
  }
};

using Timer = asio::basic_waitable_timer<MonoClock, VirtualAwareTraits, Executor>;

}  // namespace tanggul::async
