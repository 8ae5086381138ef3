#include "tanggul/base/clock.h"

namespace tanggul {
namespace {
constinit thread_local VirtualClock* current = nullptr;
}

VirtualClock::VirtualClock(MonoTime start, WallTime wall) : now_{start, wall}, outer_(current) {
  current = this;
}
VirtualClock::~VirtualClock() { current = outer_; }
bool VirtualClock::active() noexcept { return current != nullptr; }

MonoTime MonoClock::now() noexcept {
  if (current != nullptr) return current->now().mono;
  return MonoTime(std::chrono::steady_clock::now().time_since_epoch());
}

WallTime wall_now() noexcept {
  if (current != nullptr) return current->now().wall;
  return std::chrono::system_clock::now();
}

}  // namespace tanggul
