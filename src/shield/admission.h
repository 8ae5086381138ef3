#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "shield/attempt.h"
#include "shield/fetch.h"
#include "shield/hold_queue.h"
#include "shield/limit_queue.h"
#include "shield/outside.h"
#include "shield/shared_place.h"
#include "shield/steps.h"
#include "shield/upstream.h"

namespace tanggul::shield {

// A place at the origin, given back however the attempt ends.
class HeldPlace {
 public:
  explicit HeldPlace(LimitQueue& limit) : limit_(&limit) {}
  ~HeldPlace() {
    if (limit_ != nullptr) limit_->release(Duration::zero(), true);
  }
  HeldPlace(const HeldPlace&) = delete;
  HeldPlace& operator=(const HeldPlace&) = delete;
  void release(Duration taken, bool dropped) {
    std::exchange(limit_, nullptr)->release(taken, dropped);
  }

 private:
  LimitQueue* limit_;
};

// Leave to ask the origin once.
struct Pass {
  policy::Breaker::Ticket ticket;
  std::optional<HeldPlace> place;
  std::unique_ptr<SharedPlace> shared;  // in a cluster: how this attempt is counted there
  HoldQueue::Running running;           // of a fetch that was held
  bool held = false;
};

using NoteStep = std::function<void(Step, std::string_view decision)>;

// The steps breaker and limit of one attempt: refused while the breaker is open, or held until it
// closes; then its turn among those that want a place at the origin. Used by the fetch's thread.
class Admission {
 public:
  Admission(const Outside& outside, OriginState& origin, cache::Flight& flight,
            async::WaiterPtr waiter, FetchJob& job, const NoteStep& note)
      : outside_(outside),
        up_(origin),
        flight_(flight),
        waiter_(std::move(waiter)),
        job_(job),
        note_(note) {}

  // True: `pass` is complete; else `why` tells why there is none. Both are the caller's, so that a
  // held fetch is small.
  Task<bool> ask(Pass& pass, Attempted& why, Rng& rng);

 private:
  enum class Breaker { closed, held, refused };
  Breaker breaker(MonoTime now) const;
  Task<bool> hold(Pass& pass, Rng& rng);
  static void give_back(Pass& pass);

  // --- the cluster's word ---
  enum class Leave { go, refused, again };
  Task<Leave> ask_cluster(Pass& pass, Attempted& why, MonoTime give_up, LimitShare had_by);
  void go_by_part(ports::AttemptLeave& leave, LimitQueue::Asking& asking, Duration may_wait) const;
  Leave take(const ports::AttemptLeave& leave, Pass& pass, Attempted& why);
  Task<Leave> wait_for_rate(Duration wait, Attempted& why);

  const Outside& outside_;
  OriginState& up_;
  cache::Flight& flight_;
  async::WaiterPtr waiter_;
  FetchJob& job_;
  const NoteStep& note_;
};

}  // namespace tanggul::shield
