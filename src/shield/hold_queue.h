#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "async/waiter.h"
#include "base/mutex.h"
#include "base/result.h"
#include "ports/origin.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/breaker.h"
#include "tanggul/policy/slow_start.h"

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
    ~Running() { leave(std::nullopt); }
    Running(Running&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)) {}
    Running& operator=(Running&& other) noexcept;
    // Whether the origin did well by it. One that only goes says nothing of the origin.
    void end(bool well) { leave(well); }
    void go() { leave(std::nullopt); }

   private:
    void leave(std::optional<bool> well);
    HoldQueue* queue_ = nullptr;
  };
  struct LetGo {
    policy::Breaker::Ticket ticket;
    Running running;  // of a probe: nothing, the breaker counts those
  };

  // Comes back when it is this fetch's turn. Errc::cancelled. `credential` outlives the wait: while
  // it rests after a 429 its fetches stand aside and let the others go.
  Task<Result<LetGo>> wait(async::WaiterPtr waiter, const std::string& credential,
                           ports::Cancellation& cancel, Rng& rng);

  // The breaker has changed: the first may be due.
  void look();
  // No credential rests any longer.
  void end_rests();
  bool empty() const;  // but for those that stand aside
  std::size_t size() const;

 private:
  struct Waiting {
    async::WaiterPtr waiter;
    const std::string* credential;
    std::uint64_t number;  // in the order of their coming
    bool rests = false;    // stands aside
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

  Place enter(async::WaiterPtr waiter, const std::string& credential);
  void leave(Place place);
  std::optional<LetGo> try_go(Turn& turn, MonoTime now, Rng& rng);
  std::optional<policy::Breaker::Ticket> may_go(MonoTime now, Rng& rng) REQUIRES(mutex_);
  bool is_first(Place place, MonoTime now) REQUIRES(mutex_);
  MonoTime next_look(Place place, MonoTime now) const;
  async::WaiterPtr first() const REQUIRES(mutex_);
  void ended(std::optional<bool> well);

  OriginState& origin_;
  mutable Mutex mutex_;
  std::list<Waiting> queue_ GUARDED_BY(mutex_);
  std::list<Waiting> aside_ GUARDED_BY(mutex_);
  std::uint64_t last_number_ GUARDED_BY(mutex_) = 0;
  policy::SlowStart start_ GUARDED_BY(mutex_){1};
  bool releasing_ GUARDED_BY(mutex_) = false;  // the breaker was closed at the last look
};

}  // namespace tanggul::shield
