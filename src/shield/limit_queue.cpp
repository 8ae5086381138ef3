#include "shield/limit_queue.h"

namespace tanggul::shield {
namespace {

policy::ConcurrencyConfig concurrency(const LimitConfig& config) {
  policy::ConcurrencyConfig c;
  c.concurrency = config.concurrency;
  c.adaptive = config.adaptive;
  return c;
}

}  // namespace

LimitQueue::LimitQueue(const LimitConfig& config, Histogram& waits)
    : config_(config), waits_(waits), limit_(concurrency(config)) {
  if (config_.rate > 0) rate_.emplace(config_.rate, config_.burst);
}

Task<Result<void>> LimitQueue::acquire(std::string client, async::WaiterPtr waiter,
                                       ports::Cancellation& cancel) {
  const MonoTime start = MonoClock::now(), give_up = start + config_.queue_wait;
  Turn turn{*this};
  const Entry entry = enter(client, waiter, turn.place);
  if (entry == Entry::refused) co_return Errc::limit;
  if (entry == Entry::queued) {
    turn.waits = true;
    while (!decided(turn.place) && !cancel.cancelled() && MonoClock::now() < give_up)
      co_await waiter->wait_until(give_up);
    turn.waits = false;
    if (!leave(turn.place)) co_return cancel.cancelled() ? Errc::cancelled : Errc::limit;
  }
  const MonoTime now = MonoClock::now();
  const auto delay = rate_delay(now, give_up - now);
  if (!delay) {
    release(Duration::zero(), true);
    co_return Errc::limit;
  }
  const MonoTime go = now + *delay;
  while (MonoClock::now() < go && !cancel.cancelled()) co_await waiter->wait_until(go);
  waits_.observe(MonoClock::now() - start);
  if (cancel.cancelled()) {
    release(Duration::zero(), true);
    co_return Errc::cancelled;
  }
  co_return Result<void>();
}

// Gives the place back when the coroutine is destroyed while it waits.
LimitQueue::Turn::~Turn() {
  if (waits && queue.leave(place)) queue.release(Duration::zero(), true);
}

LimitQueue::Entry LimitQueue::enter(const std::string& client, const async::WaiterPtr& waiter,
                                    Place& place) {
  const Lock lock(mutex_);
  if (running_ < limit_.limit() && queue_.empty()) {
    ++running_;
    return Entry::granted;
  }
  const auto own = clients_.find(client);
  const std::size_t held = own == clients_.end() ? 0 : own->second;
  const bool others = clients_.size() > (held > 0 ? 1U : 0U);
  if (others && held >= std::max<std::size_t>(1, config_.queue / 2)) return Entry::refused;
  if (queue_.size() >= config_.queue && !displace_one(client)) return Entry::refused;
  ++clients_[client];
  queue_.push_back({waiter, client});
  place = std::prev(queue_.end());
  return Entry::queued;
}

// A client that had the queue to itself may hold more than its half; when another comes, its
// youngest gives way.
bool LimitQueue::displace_one(const std::string& client) {
  for (auto it = queue_.rbegin(); it != queue_.rend(); ++it) {
    if (it->client == client || clients_[it->client] <= config_.queue / 2) continue;
    const Place youngest = std::prev(it.base());
    youngest->displaced = true;
    forget_client(youngest->client);
    youngest->waiter->wake();
    granted_.splice(granted_.end(), queue_, youngest);
    return true;
  }
  return false;
}

bool LimitQueue::decided(Place place) const {
  const Lock lock(mutex_);
  return place->granted || place->displaced;
}

bool LimitQueue::leave(Place place) {
  const Lock lock(mutex_);
  const bool was_granted = place->granted;
  if (was_granted || place->displaced) {
    granted_.erase(place);
  } else {
    forget_client(place->client);
    queue_.erase(place);
  }
  return was_granted;
}

std::optional<Duration> LimitQueue::rate_delay(MonoTime now, Duration most) {
  const Lock lock(mutex_);
  if (now >= day_ends_) {
    day_ends_ = now + 24h;
    today_ = 0;
  }
  // Looked at before anything is taken: who is refused must use up neither the rate nor the day.
  if (config_.daily > 0 && today_ >= config_.daily) return std::nullopt;
  if (rate_ && rate_->delay(now) > most) return std::nullopt;
  ++today_;
  return rate_ ? rate_->reserve(now) : Duration::zero();
}

void LimitQueue::release(Duration taken, bool dropped) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    if (taken > Duration::zero()) limit_.sample(taken, running_, dropped);
    --running_;
    grant_next(woken);
  }
  for (const auto& w : woken) w->wake();
}

void LimitQueue::grant_next(std::vector<async::WaiterPtr>& woken) {
  while (running_ < limit_.limit() && !queue_.empty()) {
    const Place next = queue_.begin();
    next->granted = true;
    forget_client(next->client);
    woken.push_back(next->waiter);
    granted_.splice(granted_.end(), queue_, next);
    ++running_;
  }
}

void LimitQueue::forget_client(const std::string& client) {
  const auto at = clients_.find(client);
  if (at != clients_.end() && --at->second == 0) clients_.erase(at);
}

std::size_t LimitQueue::queued() const {
  const Lock lock(mutex_);
  return queue_.size();
}

int LimitQueue::running() const {
  const Lock lock(mutex_);
  return running_;
}

}  // namespace tanggul::shield
