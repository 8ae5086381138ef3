#pragma once

#include <list>

#include "async/waiter.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "policy/breaker.h"
#include "policy/slow_start.h"
#include "ports/origin.h"

namespace tanggul::shield {

class OriginState;

// The fetches that wait until the origin may be asked again, oldest first. The first of them is the
// breaker's next probe; once the breaker is closed they are let go by growing concurrency (1, 2, 4,
// … the origin's limit), so that the herd that was held does not knock over what has just come
// back. A probe that failed may come again, at the end: one request that always fails must not keep
// the others waiting. Thread-safe; costs a held fetch one list node and no timer but the first's.
class HoldQueue {
 public:
  explicit HoldQueue(OriginState& origin) : origin_(origin) {}

  // One that was let go runs until this ends.
  class Running {
   public:
    Running() = default;
    explicit Running(HoldQueue& queue) : queue_(&queue) {}
    ~Running() { end(false); }
    Running(Running&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)) {}
    Running& operator=(Running&& other) noexcept;
    void end(bool well);  // whether the origin did well by it; the destructor says no

   private:
    HoldQueue* queue_ = nullptr;
  };
  struct LetGo {
    policy::Breaker::Ticket ticket;
    Running running;  // of a probe: nothing, the breaker counts those
  };

  // Comes back when it is this fetch's turn. Errc::cancelled.
  Task<Result<LetGo>> wait(async::WaiterPtr waiter, ports::Cancellation& cancel, Rng& rng);

  // The breaker has changed: the first may be due.
  void look();
  bool empty() const;
  std::size_t size() const;

 private:
  struct Waiting {
    async::WaiterPtr waiter;
  };
  using Place = std::list<Waiting>::iterator;
  struct Turn {
    HoldQueue& queue;
    Place place;
    bool waits = true;
    ~Turn() {
      if (waits) queue.leave(place);
    }
  };

  Place enter(async::WaiterPtr waiter);
  void leave(Place place);
  std::optional<LetGo> try_go(Turn& turn, MonoTime now, Rng& rng);
  MonoTime next_look(Place place, MonoTime now) const;
  async::WaiterPtr first() const REQUIRES(mutex_);
  void ended(bool well);

  OriginState& origin_;
  mutable Mutex mutex_;
  std::list<Waiting> queue_ GUARDED_BY(mutex_);
  policy::SlowStart start_ GUARDED_BY(mutex_){1};
  bool releasing_ GUARDED_BY(mutex_) = false;  // the breaker was closed at the last look
};

}  // namespace tanggul::shield
