#include "shield/hold_queue.h"

#include <utility>

#include "shield/origin_state.h"

namespace tanggul::shield {

HoldQueue::Running& HoldQueue::Running::operator=(Running&& other) noexcept {
  if (this != &other) {
    end(false);
    queue_ = std::exchange(other.queue_, nullptr);
  }
  return *this;
}

void HoldQueue::Running::end(bool well) {
  if (HoldQueue* queue = std::exchange(queue_, nullptr)) queue->ended(well);
}

Task<Result<HoldQueue::LetGo>> HoldQueue::wait(async::WaiterPtr waiter, ports::Cancellation& cancel,
                                               Rng& rng) {
  Turn turn{*this, enter(waiter)};
  while (!cancel.cancelled()) {
    const MonoTime now = MonoClock::now();
    std::optional<LetGo> go = try_go(turn, now, rng);
    if (go) co_return std::move(*go);
    const MonoTime until = next_look(turn.place, now);
    co_await waiter->wait_until(until);
  }
  co_return Errc::cancelled;
}

HoldQueue::Place HoldQueue::enter(async::WaiterPtr waiter) {
  const Lock lock(mutex_);
  queue_.push_back({std::move(waiter)});
  return std::prev(queue_.end());
}

void HoldQueue::leave(Place place) {
  async::WaiterPtr next;
  {
    const Lock lock(mutex_);
    const bool was_first = place == queue_.begin();
    queue_.erase(place);
    if (was_first) next = first();
  }
  if (next) next->wake();
}

std::optional<HoldQueue::LetGo> HoldQueue::try_go(Turn& turn, MonoTime now, Rng& rng) {
  async::WaiterPtr next;
  LetGo go;
  {
    const Lock lock(mutex_);
    if (turn.place != queue_.begin() || origin_.paused_until("", now)) return std::nullopt;
    const bool closed = origin_.breaker_state(now) == policy::BreakerState::closed;
    if (closed && !releasing_) start_.begin(origin_.limit().limit());
    releasing_ = closed;
    if (closed && !start_.may_start()) return std::nullopt;
    const auto admission = origin_.admit(now, rng);
    if (!admission.admitted) return std::nullopt;
    go.ticket = admission.ticket;
    if (!go.ticket.probe) {
      start_.started();
      go.running = Running(*this);
    }
    turn.waits = false;
    queue_.erase(turn.place);
    next = first();
  }
  if (next) next->wake();
  return go;
}

// Only the first keeps time. While the breaker is closed it is an ending that lets it go, but a
// second's look costs nothing.
MonoTime HoldQueue::next_look(Place place, MonoTime now) const {
  constexpr Duration kAtTheLatest = 1s;
  const Lock lock(mutex_);
  if (place != queue_.begin()) return kForever;
  if (const auto paused = origin_.paused_until("", now)) return *paused;
  const MonoTime probe = origin_.next_probe(now);
  return probe > now ? probe : now + kAtTheLatest;
}

async::WaiterPtr HoldQueue::first() const {
  return queue_.empty() ? nullptr : queue_.front().waiter;
}

void HoldQueue::ended(bool well) {
  async::WaiterPtr next;
  {
    const Lock lock(mutex_);
    start_.ended(well);
    next = first();
  }
  if (next) next->wake();
}

void HoldQueue::look() {
  async::WaiterPtr next;
  {
    const Lock lock(mutex_);
    next = first();
  }
  if (next) next->wake();
}

bool HoldQueue::empty() const {
  const Lock lock(mutex_);
  return queue_.empty();
}

std::size_t HoldQueue::size() const {
  const Lock lock(mutex_);
  return queue_.size();
}

}  // namespace tanggul::shield
