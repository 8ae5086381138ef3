#pragma once

#include <algorithm>

#include "tanggul/base/clock.h"

namespace tanggul::ports {

// How long one request may still wait on what the nodes of a cluster share, all its calls together.
// Each call takes off what it has waited; with none left a call gives up at once. One thread's.
class Patience {
 public:
  static constexpr Duration kAtMost = 100ms;

  Patience() = default;
  explicit Patience(Duration left) : left_(left) {}
  Duration left() const noexcept { return left_; }
  void spend(Duration waited) noexcept { left_ = std::max(Duration::zero(), left_ - waited); }

 private:
  Duration left_ = kAtMost;
};

}  // namespace tanggul::ports
