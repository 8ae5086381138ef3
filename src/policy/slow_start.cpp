#include "tanggul/policy/slow_start.h"

#include <algorithm>

namespace tanggul::policy {

void SlowStart::begin(int limit) {
  limit_ = std::max(1, limit);
  window_ = 1;
}

void SlowStart::ended(bool well) {
  --running_;
  window_ = well ? std::min(limit_, window_ + 1) : std::max(1, window_ / 2);
}

}  // namespace tanggul::policy
