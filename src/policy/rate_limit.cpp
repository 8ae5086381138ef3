#include "tanggul/policy/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace tanggul::policy {
namespace {

// Far from where time stamps overflow, and long enough to mean never.
constexpr double kLongestSeconds = 50.0 * 365 * 86400;

// Rounded against the caller, so that the promise holds to the nanosecond.
Duration rounded_up(double s) {
  return Duration(static_cast<std::int64_t>(std::ceil(std::min(s, kLongestSeconds) * 1e9)));
}
Duration rounded_down(double s) {
  return Duration(static_cast<std::int64_t>(std::floor(std::min(s, kLongestSeconds) * 1e9)));
}

}  // namespace

RateLimit::RateLimit(double per_second, double burst) {
  if (!(per_second > 0)) return;
  interval_ = rounded_up(1 / per_second);
  tolerance_ = rounded_down((std::max(burst, 1.0) - 1) / per_second);
}

Duration RateLimit::delay(MonoTime now) const {
  if (!arrival_) return Duration::zero();
  return std::max<Duration>(*arrival_ - tolerance_ - now, Duration::zero());
}

bool RateLimit::admit(MonoTime now) {
  if (delay(now) > Duration::zero()) return false;
  reserve(now);
  return true;
}

Duration RateLimit::reserve(MonoTime now) {
  if (!limited()) return Duration::zero();
  const auto wait = delay(now);
  const auto due = std::max(arrival_.value_or(now), now);
  arrival_ = std::min(due, kForever - interval_) + interval_;
  return wait;
}

}  // namespace tanggul::policy
