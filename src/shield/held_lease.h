#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "async/spawn.h"
#include "base/metrics.h"
#include "cache/flight.h"
#include "ports/leases.h"
#include "shield/outside.h"

namespace tanggul::shield {

// Of results that came after their lease was somebody else's.
Counter& leases_lost(MetricSet& metrics);

// A lease that a fetch holds: renewed at each third of its time by a task of its own, given back
// when this goes, whatever becomes of the fetch, and as soon as nothing that its flight brings may
// be stored: who asks after a purge need not wait for what was asked before. One thread's.
class HeldLease {
 public:
  struct Terms {
    std::string id, token;
    std::uint64_t fence = 0;
    Duration ttl{};
    MonoTime asked;  // before it was acquired: from when its time counts at the latest
  };
  HeldLease(const Outside& outside, async::Executor executor, async::TaskGroup& tasks, Terms terms,
            cache::FlightPtr flight);
  ~HeldLease();
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;

  const Terms& terms() const noexcept;
  // Somebody else may have it by now: it was told so, or its time was over without a renewal.
  bool lost(MonoTime now) const noexcept;
  // It has been given back by what was published under it.
  void spent() noexcept;

 private:
  struct State;
  static Task<void> renew(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace tanggul::shield
