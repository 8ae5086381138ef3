#include "shield/held_lease.h"

#include "shield/cluster.h"

namespace tanggul::shield {

Counter& leases_lost(MetricSet& metrics) {
  return metrics.counter("tanggul_lease_lost_total",
                         "Results that came after their lease was somebody else's");
}

struct HeldLease::State {
  State(const Outside& o, async::WaiterPtr w, Terms t)
      : outside(o), waiter(std::move(w)), terms(std::move(t)), until(terms.asked + terms.ttl) {}

  Outside outside;
  async::WaiterPtr waiter;
  const Terms terms;
  MonoTime until;     // of what is known of its time
  bool gone = false;  // somebody else has it
  bool over = false;  // the fetch is
};

HeldLease::HeldLease(const Outside& outside, async::Executor executor, async::TaskGroup& tasks,
                     Terms terms)
    : state_(std::make_shared<State>(outside, async::Waiter::make(executor), std::move(terms))) {
  tasks.spawn(executor, "renew", renew(state_));
}

HeldLease::~HeldLease() {
  if (!std::exchange(state_->over, true) && !state_->outside.cluster->ended())
    state_->outside.leases->release(state_->terms.id, state_->terms.token);
  state_->waiter->wake();
}

const HeldLease::Terms& HeldLease::terms() const noexcept { return state_->terms; }

bool HeldLease::lost(MonoTime now) const noexcept { return state_->gone || now >= state_->until; }

void HeldLease::spent() noexcept { state_->over = true; }

Task<void> HeldLease::renew(std::shared_ptr<State> state) {
  const Terms& terms = state->terms;
  MonoTime next = terms.asked + terms.ttl / 3;
  while (!state->over && !state->gone) {
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
