#pragma once

#include <string>
#include <string_view>

#include "tanggul/base/clock.h"

namespace tanggul::postgres {

// What of an origin's faults is told: each that differs from the last, and one a second of those
// that do not. One thread.
class FaultLog {
 public:
  explicit FaultLog(std::string origin) : origin_(std::move(origin)) {}
  void tell(std::string_view words);

 private:
  const std::string origin_;
  std::string last_;
  MonoTime next_{};
};

}  // namespace tanggul::postgres
