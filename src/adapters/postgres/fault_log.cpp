#include "adapters/postgres/fault_log.h"

#include "base/log.h"

namespace tanggul::postgres {
namespace {

constexpr Duration kSameAgain = 1s;

}  // namespace

void FaultLog::tell(std::string_view words) {
  const MonoTime now = MonoClock::now();
  if (words == last_ && now < next_) return;
  last_ = words;
  next_ = now + kSameAgain;
  log::warn("{}: the query failed: {}", origin_, words);
}

}  // namespace tanggul::postgres
