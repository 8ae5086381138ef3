#pragma once

#include <chrono>

namespace tanggul {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;

// The steady clock of everything that measures a span. A test or a simulation may put a
// VirtualClock over it for its own thread; nothing else reads another clock.
struct MonoClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonoClock, duration>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};
using MonoTime = MonoClock::time_point;

// The calendar, for HTTP dates and for lifetimes that outlive the process.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;
WallTime wall_now() noexcept;

// One moment on both clocks, taken once a step so that its decisions agree with each other.
struct Now {
  MonoTime mono;
  WallTime wall;
  static Now take() noexcept { return {MonoClock::now(), wall_now()}; }
};

inline constexpr MonoTime kForever = MonoTime::max();

// While alive, the clocks of this thread stand still except for advance(). Not copyable, nests.
class VirtualClock {
 public:
  explicit VirtualClock(MonoTime start = MonoTime(1h),
                        WallTime wall = WallTime(std::chrono::seconds(1'700'000'000)));
  ~VirtualClock();
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  void advance(Duration d) noexcept { now_.mono += d, now_.wall += d; }
  Now now() const noexcept { return now_; }
  static bool active() noexcept;

 private:
  Now now_;
  VirtualClock* outer_;
};

inline double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
inline Duration from_seconds(double s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}

}  // namespace tanggul
