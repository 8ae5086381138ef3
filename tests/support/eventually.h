#pragma once

#include <chrono>
#include <thread>

#include "tanggul/base/clock.h"

namespace tanggul::test {

// Waits for what another process or thread brings about, and comes back as soon as it has. False:
// it has not within `at_most`, which is a bound against hangs and not a measure of anything.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition, Duration at_most = std::chrono::seconds(60)) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(5);
  for (const MonoTime end = MonoClock::now() + at_most; !condition();) {
    if (MonoClock::now() >= end) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace tanggul::test
