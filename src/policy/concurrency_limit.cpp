#include "tanggul/policy/concurrency_limit.h"

#include <algorithm>
#include <cmath>

namespace tanggul::policy {
namespace {

constexpr double kTolerance = 1.5;
constexpr double kSmoothing = 0.2;
constexpr double kSteepest = 0.5;      // of the gradient, also taken for a drop
constexpr int kWarmUp = 10;            // samples whose plain mean starts the average
constexpr double kLongWindow = 600.0;  // samples

ConcurrencyConfig sane(ConcurrencyConfig c) {
  c.concurrency = std::max(c.concurrency, 1);
  c.min = std::max(c.min, 1);
  c.max = std::max(c.max, c.min);
  if (c.adaptive) c.concurrency = std::clamp(c.concurrency, c.min, c.max);
  return c;
}

}  // namespace

ConcurrencyLimit::ConcurrencyLimit(ConcurrencyConfig config)
    : config_(sane(config)), estimate_(config_.concurrency) {}

void ConcurrencyLimit::sample(Duration rtt, int in_flight, bool dropped) {
  if (!config_.adaptive) return;
  if (dropped) {
    move_towards(estimate_ * kSteepest);
    return;
  }
  const double shortest = std::max(seconds(rtt), 1e-9);
  const double longest = update_average(shortest);
  if (in_flight < estimate_ / 2) return;
  const double gradient = std::clamp(kTolerance * longest / shortest, kSteepest, 1.0);
  move_towards(estimate_ * gradient + std::sqrt(estimate_));
}

double ConcurrencyLimit::update_average(double rtt) {
  if (warm_ < kWarmUp) {
    average_ = (average_ * warm_ + rtt) / (warm_ + 1);
    ++warm_;
  } else {
    average_ += (rtt - average_) * 2 / (kLongWindow + 1);
  }
  const double before = average_;
  // After a long slowness the average must come down faster than it went up.
  if (average_ / rtt > 2) average_ *= 0.95;
  return before;
}

void ConcurrencyLimit::move_towards(double target) {
  estimate_ = estimate_ * (1 - kSmoothing) + target * kSmoothing;
  estimate_ = std::clamp<double>(estimate_, config_.min, config_.max);
}

}  // namespace tanggul::policy
