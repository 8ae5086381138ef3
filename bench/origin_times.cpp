#include "origin_times.h"

#include <algorithm>

namespace tanggul::bench {

void OriginTimes::note() {
  const std::lock_guard lock(mutex_);
  times_.push_back(MonoClock::now());
}

std::size_t OriginTimes::total() const {
  const std::lock_guard lock(mutex_);
  return times_.size();
}

std::vector<MonoTime> OriginTimes::all() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

std::size_t OriginTimes::most_within(Duration length) const {
  const std::lock_guard lock(mutex_);
  std::ptrdiff_t most = 0;
  for (auto it = times_.begin(); it != times_.end(); ++it)
    most = std::max(most, std::upper_bound(it, times_.end(), *it + length) - it);
  return static_cast<std::size_t>(most);
}

test::Script noted(std::shared_ptr<OriginTimes> times, test::Script then) {
  test::Script script;
  script.dynamic = [times = std::move(times), then = std::move(then)](const test::SeenRequest&) {
    times->note();
    return then;
  };
  return script;
}

}  // namespace tanggul::bench
