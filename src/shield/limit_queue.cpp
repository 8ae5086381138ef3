#include "shield/limit_queue.h"

#include <algorithm>
#include <utility>

namespace tanggul::shield {
namespace {

policy::ConcurrencyConfig concurrency(const LimitConfig& config) {
  policy::ConcurrencyConfig c;
  c.concurrency = config.concurrency;
  c.adaptive = config.adaptive;
  return c;
}

// An adaptive limit follows what this node sees of the origin: it is nobody else's.
LimitConfig numbers_of(LimitConfig config, LimitShare share, std::size_t nodes) {
  if (share == LimitShare::cluster) {
    config.rate = 0;
    config.daily = 0;
  } else if (share == LimitShare::part) {
    const auto n = static_cast<double>(nodes);
    if (!config.adaptive)
      config.concurrency = std::max(1, config.concurrency / static_cast<int>(nodes));
    config.rate /= n;
    config.burst = std::max(1.0, config.burst / n);
    if (config.daily > 0) config.daily = std::max<std::uint64_t>(1, config.daily / nodes);
  }
  return config;
}

}  // namespace

LimitQueue::LimitQueue(const LimitConfig& config, Histogram& waits, Counter& refusals)
    : waits_(waits),
      refusals_(refusals),
      config_(config),
      numbers_(config),
      limit_(concurrency(config)),
      share_(config.queue) {
  if (config.rate > 0) rate_.emplace(config.rate, config.burst);
}

void LimitQueue::configure(const LimitConfig& config) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    config_ = config;
    set_numbers();
    grant_next(woken);
  }
  for (const auto& w : woken) w->wake();
}

void LimitQueue::share(LimitShare share, std::size_t nodes) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    shared_ = share;
    nodes_ = std::max<std::size_t>(1, nodes);
    set_numbers();
    grant_next(woken);
  }
  for (const auto& w : woken) w->wake();
}

void LimitQueue::set_numbers() {
  const LimitConfig now = numbers_of(config_, shared_, nodes_);
  if (now.concurrency != numbers_.concurrency || now.adaptive != numbers_.adaptive)
    limit_ = policy::ConcurrencyLimit(concurrency(now));
  if (now.rate != numbers_.rate || now.burst != numbers_.burst) {
    rate_.reset();
    if (now.rate > 0) rate_.emplace(now.rate, now.burst);
  }
  share_.set_capacity(now.queue);
  numbers_ = now;
  const LimitConfig part = numbers_of(config_, LimitShare::part, nodes_);
  if (part.rate != part_.rate || part.burst != part_.burst) {
    part_rate_.reset();
    if (part.rate > 0) part_rate_.emplace(part.rate, part.burst);
  }
  part_ = part;
}

Task<Result<LimitShare>> LimitQueue::acquire(std::string client, async::WaiterPtr waiter,
                                             ports::Cancellation& cancel, From from) {
  const MonoTime start = MonoClock::now();
  const MonoTime give_up = from == From::hold ? kForever : start + queue_wait();
  Turn turn{*this};
  const Entry entry = enter(client, waiter, from, turn.place);
  if (entry == Entry::refused) co_return refuse();
  if (entry == Entry::queued) {
    turn.waits = true;
    while (!decided(turn.place) && !cancel.cancelled() && MonoClock::now() < give_up)
      co_await waiter->wait_until(give_up);
    turn.waits = false;
    if (!leave(turn.place)) co_return cancel.cancelled() ? Errc::cancelled : refuse();
  }
  const MonoTime now = MonoClock::now();
  const auto [delay, by] = reserve(now, give_up - now);
  if (!delay) {
    release(Duration::zero(), true);
    co_return refuse();
  }
  const MonoTime go = now + *delay;
  while (MonoClock::now() < go && !cancel.cancelled()) co_await waiter->wait_until(go);
  waits_.observe(MonoClock::now() - start);
  if (cancel.cancelled()) {
    release(Duration::zero(), true);
    co_return Errc::cancelled;
  }
  co_return by;
}

// Gives the place back when the coroutine is destroyed while it waits.
LimitQueue::Turn::~Turn() {
  if (waits && queue.leave(place)) queue.release(Duration::zero(), true);
}

LimitQueue::Entry LimitQueue::enter(const std::string& client, const async::WaiterPtr& waiter,
                                    From from, Place& place) {
  using policy::FairShare;
  const Lock lock(mutex_);
  if (running_ < limit_.limit() && queue_.empty()) {
    ++running_;
    return Entry::granted;
  }
  if (from == From::hold) {
    const Place line = std::find_if(queue_.begin(), queue_.end(),
                                    [](const Waiting& w) { return w.from == From::line; });
    place = queue_.insert(line, {waiter, client, from});
    return Entry::queued;
  }
  const FairShare::Entry may = share_.ask(client);
  if (may == FairShare::Entry::refused) return Entry::refused;
  if (may == FairShare::Entry::displaces) displace_one();
  share_.enter(client);
  queue_.push_back({waiter, client, from});
  place = std::prev(queue_.end());
  return Entry::queued;
}

// The youngest of the client that holds more than its half.
void LimitQueue::displace_one() {
  for (auto it = queue_.rbegin(); it != queue_.rend(); ++it) {
    if (it->from == From::hold || !share_.over_half(it->client)) continue;
    const Place youngest = std::prev(it.base());
    youngest->displaced = true;
    share_.leave(youngest->client);
    youngest->waiter->wake();
    granted_.splice(granted_.end(), queue_, youngest);
    return;
  }
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
    if (place->from == From::line) share_.leave(place->client);
    queue_.erase(place);
  }
  return was_granted;
}

LimitQueue::Reserved LimitQueue::reserve(MonoTime now, Duration most) {
  const Lock lock(mutex_);
  auto& rate = shared_ == LimitShare::part ? part_rate_ : rate_;
  return {take(rate, today_, numbers_.daily, now, most), shared_};
}

LimitQueue::Asking::Asking(LimitQueue& queue, async::WaiterPtr waiter, LimitShare had_by)
    : queue_(queue), waiter_(std::move(waiter)), had_by_(had_by) {
  const Lock lock(queue_.mutex_);
  place_ = queue_.asking_.insert(queue_.asking_.end(), this);
}

void LimitQueue::Asking::go() {
  const Lock lock(queue_.mutex_);
  queue_.remove(*this);
}

void LimitQueue::remove(Asking& asking) {
  if (asking.place_ == asking_.end()) return;
  asking_.erase(asking.place_);
  asking.place_ = asking_.end();
}

LimitQueue::Part LimitQueue::part(Asking& asking, MonoTime now, Duration most) {
  const Lock lock(mutex_);
  asking.full_ = !part_.adaptive && at_origin() >= part_.concurrency;
  if (asking.full_) return {.full = true, .delay = {}};
  // The rate and the day were asked already where it was let in by this node's part of them.
  const auto delay = asking.had_by_ == LimitShare::part
                         ? Duration::zero()
                         : take(part_rate_, today_alone_, part_.daily, now, most);
  if (delay) remove(asking);
  return {.full = false, .delay = delay};
}

std::optional<Duration> LimitQueue::take(std::optional<policy::RateLimit>& rate,
                                         std::uint64_t& today, std::uint64_t daily, MonoTime now,
                                         Duration most) {
  if (now >= day_ends_) {
    day_ends_ = now + 24h;
    today_ = today_alone_ = 0;
  }
  // Looked at before anything is taken: who is refused must use up neither the rate nor the day.
  if (daily > 0 && today >= daily) return std::nullopt;
  if (rate && rate->delay(now) > most) return std::nullopt;
  ++today;
  return rate ? rate->reserve(now) : Duration::zero();
}

void LimitQueue::release(Duration taken, bool dropped) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    if (taken > Duration::zero()) limit_.sample(taken, running_, dropped);
    --running_;
    grant_next(woken);
    for (Asking* const asking : asking_)
      if (std::exchange(asking->full_, false)) woken.push_back(asking->waiter_);
  }
  for (const auto& w : woken) w->wake();
}

void LimitQueue::grant_next(std::vector<async::WaiterPtr>& woken) {
  while (running_ < limit_.limit() && !queue_.empty()) {
    const Place next = queue_.begin();
    next->granted = true;
    if (next->from == From::line) share_.leave(next->client);
    woken.push_back(next->waiter);
    granted_.splice(granted_.end(), queue_, next);
    ++running_;
  }
}

std::size_t LimitQueue::queued() const {
  const Lock lock(mutex_);
  return queue_.size() + asking_.size();
}

std::size_t LimitQueue::most_queued() const {
  const Lock lock(mutex_);
  return config_.queue;
}

Errc LimitQueue::refuse() {
  refusals_.add();
  return Errc::limit;
}

int LimitQueue::limit() const {
  const Lock lock(mutex_);
  return limit_.limit();
}

Duration LimitQueue::queue_wait() const {
  const Lock lock(mutex_);
  return config_.queue_wait;
}

int LimitQueue::running() const {
  const Lock lock(mutex_);
  return at_origin();
}

}  // namespace tanggul::shield
