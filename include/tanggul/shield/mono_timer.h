#pragma once

#include <boost/asio/wait_traits.hpp>

#include "tanggul/base/clock.h"

// Asio's timers on MonoClock. Under a VirtualClock the reactor must not sleep for real time: it
// polls, and the test advances.
template <>
struct boost::asio::wait_traits<tanggul::MonoClock> {
  static tanggul::Duration to_wait_duration(const tanggul::Duration& d) {
    return tanggul::VirtualClock::active() ? tanggul::Duration::zero() : d;
  }
  static tanggul::Duration to_wait_duration(const tanggul::MonoTime& t) {
    if (tanggul::VirtualClock::active()) return tanggul::Duration::zero();
    return t - tanggul::MonoClock::now();
  }
};
