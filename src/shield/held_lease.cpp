#include "shield/held_lease.h"

#include "shield/cluster.h"

namespace tanggul::shield {

Counter& leases_lost(MetricSet& metrics) {
  return metrics.counter("tanggul_lease_lost_total",
                         "Results that came after their lease was somebody else's");
}

struct HeldLease::State {
  State(const Outside& o, async::WaiterPtr w, Terms t, cache::FlightPtr f)
      : outside(o),
        waiter(std::move(w)),
        terms(std::move(t)),
        flight(std::move(f)),
        until(terms.asked + terms.ttl) {}

  void give_back() {
    if (!std::exchange(over, true) && !outside.cluster->ended())
      outside.leases->release(terms.id, terms.token);
  }

  Outside outside;
  async::WaiterPtr waiter;
  const Terms terms;
  const cache::FlightPtr flight;
  MonoTime until;     // of what is known of its time
  bool gone = false;  // somebody else has it
  bool over = false;  // the fetch is, or it needs no lease any more
};

HeldLease::HeldLease(const Outside& outside, async::Executor executor, async::TaskGroup& tasks,
                     Terms terms, cache::FlightPtr flight)
    : state_(std::make_shared<State>(outside, async::Waiter::make(executor), std::move(terms),
                                     std::move(flight))) {
  state_->flight->tell_when_forbidden(state_->waiter);
  tasks.spawn(executor, "renew", renew(state_));
}

HeldLease::~HeldLease() {
  state_->flight->tell_when_forbidden(nullptr);
  state_->give_back();
  state_->waiter->wake();
}

const HeldLease::Terms& HeldLease::terms() const noexcept { return state_->terms; }

bool HeldLease::lost(MonoTime now) const noexcept { return state_->gone || now >= state_->until; }

void HeldLease::spent() noexcept { state_->over = true; }

Task<void> HeldLease::renew(std::shared_ptr<State> state) {
  const Terms& terms = state->terms;
  MonoTime next = terms.asked + terms.ttl / 3;
  while (!state->over && !state->gone) {
    if (state->flight->store_forbidden()) co_return state->give_back();
    if (MonoClock::now() < next) {
      co_await state->waiter->wait_until(next);
      continue;
    }
    const MonoTime asked = MonoClock::now();
    ports::Patience patience;
    const auto renewal =
        co_await state->outside.leases->renew(terms.id, terms.token, terms.ttl, patience);
    if (renewal == ports::Leases::Renewal::lost) state->gone = true;
    if (renewal == ports::Leases::Renewal::held) state->until = asked + terms.ttl;
    // What could not be asked is asked again soon: its time runs.
    const bool unknown = renewal == ports::Leases::Renewal::unavailable;
    next = asked + (unknown ? std::min<Duration>(1s, terms.ttl / 3) : terms.ttl / 3);
  }
}

}  // namespace tanggul::shield
