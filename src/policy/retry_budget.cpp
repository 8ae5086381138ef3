#include "tanggul/policy/retry_budget.h"

#include <algorithm>

namespace tanggul::policy {

RetryBudget::RetryBudget(double ratio, int floor, Duration window)
    : floor_(static_cast<std::uint64_t>(std::max(floor, 0))), attempts_(window) {
  configure(ratio);
}

void RetryBudget::configure(double ratio) { ratio_ = std::clamp(ratio, 0.0, 1e3); }

void RetryBudget::attempt_started(MonoTime now) { attempts_.add(now); }

std::uint64_t RetryBudget::allowed(MonoTime now) const {
  const double share = ratio_ * static_cast<double>(attempts_.total(now));
  return std::max(floor_, static_cast<std::uint64_t>(share));
}

bool RetryBudget::reserve(MonoTime now) {
  if (reserved_ >= allowed(now)) return false;
  ++reserved_;
  return true;
}

void RetryBudget::release() {
  if (reserved_ > 0) --reserved_;
}

}  // namespace tanggul::policy
