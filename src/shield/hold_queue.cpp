#include "shield/hold_queue.h"

#include <algorithm>
#include <vector>

#include "shield/origin_state.h"

namespace tanggul::shield {

HoldQueue::Running& HoldQueue::Running::operator=(Running&& other) noexcept {
  if (this != &other) {
    go();
    queue_ = std::exchange(other.queue_, nullptr);
  }
  return *this;
}

void HoldQueue::Running::leave(std::optional<bool> well) {
  if (HoldQueue* queue = std::exchange(queue_, nullptr)) queue->ended(well);
}

Task<Result<HoldQueue::LetGo>> HoldQueue::wait(async::WaiterPtr waiter,
                                               const std::string& credential,
                                               ports::Cancellation& cancel, Rng& rng) {
  Turn turn{*this, enter(waiter, credential)};
  while (!cancel.cancelled()) {
    const MonoTime now = MonoClock::now();
    std::optional<LetGo> go = try_go(turn, now, rng);
    if (go) co_return std::move(*go);
    const MonoTime until = next_look(turn.place, now);
    co_await waiter->wait_until(until);
  }
  co_return Errc::cancelled;
}

HoldQueue::Place HoldQueue::enter(async::WaiterPtr waiter, const std::string& credential) {
  const Lock lock(mutex_);
  queue_.push_back({std::move(waiter), &credential, ++last_number_});
  return std::prev(queue_.end());
}

void HoldQueue::leave(Place place) {
  async::WaiterPtr next;
  {
    const Lock lock(mutex_);
    const bool was_first = !place->rests && place == queue_.begin();
    (place->rests ? aside_ : queue_).erase(place);
    if (was_first) next = first();
  }
  if (next) next->wake();
}

// Whose credential rests steps aside, and back to where it was in the order once it may.
bool HoldQueue::is_first(Place place, MonoTime now) {
  const bool paused = origin_.paused_until(*place->credential, now).has_value();
  if (place->rests && !paused) {
    const Place later = std::find_if(queue_.begin(), queue_.end(),
                                     [&](const Waiting& w) { return w.number > place->number; });
    place->rests = false;
    queue_.splice(later, aside_, place);
  } else if (!place->rests && paused && place == queue_.begin()) {
    place->rests = true;
    aside_.splice(aside_.end(), queue_, place);
  }
  return !place->rests && place == queue_.begin();
}

std::optional<HoldQueue::LetGo> HoldQueue::try_go(Turn& turn, MonoTime now, Rng& rng) {
  async::WaiterPtr next;
  std::optional<LetGo> go;
  {
    const Lock lock(mutex_);
    if (!is_first(turn.place, now)) {
      if (turn.place->rests) next = first();
    } else if (const auto ticket = may_go(now, rng)) {
      go.emplace().ticket = *ticket;
      if (!ticket->probe) {
        start_.started();
        go->running = Running(*this);
      }
      turn.waits = false;
      queue_.erase(turn.place);
      next = first();
    }
  }
  if (next) next->wake();
  return go;
}

// Whether anybody may go now.
std::optional<policy::Breaker::Ticket> HoldQueue::may_go(MonoTime now, Rng& rng) {
  const bool closed = origin_.breaker_state(now) == policy::BreakerState::closed;
  if (closed && !releasing_) start_.begin(origin_.limit().limit());
  releasing_ = closed;
  if (closed && !start_.may_start()) return std::nullopt;
  const auto admission = origin_.admit(now, rng);
  if (!admission.admitted) return std::nullopt;
  return admission.ticket;
}

// Only the first keeps time, and who stands aside. While the breaker is closed it is an ending that
// lets the first go, but a second's look costs nothing.
MonoTime HoldQueue::next_look(Place place, MonoTime now) const {
  constexpr Duration kAtTheLatest = 1s;
  const Lock lock(mutex_);
  if (place->rests)
    return origin_.paused_until(*place->credential, now).value_or(now + kAtTheLatest);
  if (place != queue_.begin()) return kForever;
  const MonoTime probe = origin_.next_probe(now);
  return probe > now ? probe : now + kAtTheLatest;
}

void HoldQueue::end_rests() {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    for (const Waiting& w : aside_) woken.push_back(w.waiter);
    if (const auto next = first()) woken.push_back(next);
  }
  for (const auto& w : woken) w->wake();
}

async::WaiterPtr HoldQueue::first() const {
  return queue_.empty() ? nullptr : queue_.front().waiter;
}

void HoldQueue::ended(std::optional<bool> well) {
  async::WaiterPtr next;
  {
    const Lock lock(mutex_);
    if (well) {
      start_.ended(*well);
    } else {
      start_.left();
    }
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
  return queue_.size() + aside_.size();
}

}  // namespace tanggul::shield
