#include "cache/flight.h"

#include <algorithm>
#include <utility>

namespace tanggul::cache {
namespace {

void wake(const std::vector<async::WaiterPtr>& waiters) {
  for (const auto& w : waiters) w->wake();
}

}  // namespace

Flight::Flight(std::string key, std::string directory)
    : key_(std::move(key)), directory_(std::move(directory)) {}

void Flight::expect_length(std::optional<ByteCount> length) {
  spool_ = std::make_unique<Spool>(directory_, length);
}

Spool& Flight::spool() {
  if (!spool_) expect_length(std::nullopt);
  return *spool_;
}

void Flight::open(OpenHead head, Sharing sharing) {
  std::vector<async::WaiterPtr> woken;
  spool();
  {
    const Lock lock(mutex_);
    phase_ = Phase::open;
    head_ = std::make_shared<const OpenHead>(std::move(head));
    sharing_ = std::make_shared<const Sharing>(std::move(sharing));
    woken = std::exchange(watchers_, {});
  }
  wake(woken);
}

void Flight::progress() {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    woken = std::exchange(watchers_, {});
  }
  wake(woken);
}

void Flight::land(EntryPtr entry, Sharing sharing) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    if (phase_ == Phase::landed || phase_ == Phase::failed) return;
    phase_ = Phase::landed;
    entry_ = std::move(entry);
    sharing_ = std::make_shared<const Sharing>(std::move(sharing));
    woken = std::exchange(watchers_, {});
  }
  wake(woken);
}

void Flight::fail(Failure failure) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    if (phase_ == Phase::landed || phase_ == Phase::failed) return;
    phase_ = Phase::failed;
    failure_ = std::move(failure);
    woken = std::exchange(watchers_, {});
  }
  wake(woken);
}

// The last caller has left one that is of no use to others, or that the origin has not seen yet.
bool Flight::nobody_needs_it() const {
  return callers_ == 0 && (!cacheable_ || held_) &&
         (phase_ == Phase::fetching || phase_ == Phase::open);
}

void Flight::set_cacheable(bool cacheable) {
  bool give_up = false;
  {
    const Lock lock(mutex_);
    cacheable_ = cacheable;
    give_up = nobody_needs_it();
    given_up_ = given_up_ || give_up;
  }
  if (give_up) cancellation_.cancel();
}

void Flight::set_held(bool held) {
  std::vector<async::WaiterPtr> woken;
  bool give_up = false;
  {
    const Lock lock(mutex_);
    held_ = held;
    give_up = nobody_needs_it();
    given_up_ = given_up_ || give_up;
    woken = std::exchange(watchers_, {});
  }
  wake(woken);
  if (give_up) cancellation_.cancel();
}

bool Flight::finished() const {
  const Lock lock(mutex_);
  return phase_ == Phase::landed || phase_ == Phase::failed;
}

void Flight::set_trace(std::string line) {
  const Lock lock(mutex_);
  trace_ = std::move(line);
}

std::string Flight::trace() const {
  const Lock lock(mutex_);
  return trace_;
}

void Flight::forbid_store() {
  store_forbidden_.store(true);
  async::WaiterPtr told;
  {
    const Lock lock(mutex_);
    told = when_forbidden_;
  }
  if (told) told->wake();
}

void Flight::tell_when_forbidden(async::WaiterPtr waiter) {
  {
    const Lock lock(mutex_);
    when_forbidden_ = waiter;
  }
  if (waiter && store_forbidden()) waiter->wake();
}

Flight::View Flight::view() const {
  const Lock lock(mutex_);
  return view_locked();
}

Flight::View Flight::view_locked() const {
  const Glance g = glance_locked();
  return {phase_, entry_, head_, sharing_, failure_, g.readable, held_};
}

Flight::Glance Flight::glance() const {
  const Lock lock(mutex_);
  return glance_locked();
}

Flight::Glance Flight::glance_locked() const {
  Glance g{phase_, 0, held_};
  if (head_) {
    const ByteCount size = spool_->size();
    g.readable = size;
    if (phase_ != Phase::landed && head_->hold_last_byte && size > 0) g.readable = size - 1;
  }
  return g;
}

bool Flight::attach() {
  const Lock lock(mutex_);
  if (phase_ == Phase::failed || given_up_ || windowed_) return false;
  ++callers_;
  return true;
}

void Flight::detach() {
  bool give_up = false;
  {
    const Lock lock(mutex_);
    --callers_;
    give_up = nobody_needs_it();
    given_up_ = given_up_ || give_up;
  }
  if (give_up) cancellation_.cancel();
}

void Flight::open_window() {
  spool_->open_window();
  {
    const Lock lock(mutex_);
    windowed_ = true;
  }
  set_cacheable(false);
}

// The place up to which everybody has read. Who has not begun to read may still do so.
ByteCount Flight::slowest() const {
  return callers_ > readers_.size() ? 0 : readers_.slowest(spool_->size());
}

bool Flight::has_room() const {
  const ByteCount read = std::max(slowest(), spool_->window()->begin());
  return spool_->size() - std::min(read, spool_->size()) < kWindow;
}

bool Flight::window_has_room(MonoTime now, Duration patience, ByteCount min_rate) {
  const Lock lock(mutex_);
  readers_.judge(now, spool_->size(), kWindow / 2, patience, min_rate);
  spool_->window()->release(slowest());
  waits_for_room_ = !has_room();
  return !waits_for_room_;
}

void Flight::begin_reading(const void* reader) {
  const Lock lock(mutex_);
  readers_.enter(reader);
}

void Flight::end_reading(const void* reader) {
  bool nudge = false;
  {
    const Lock lock(mutex_);
    readers_.leave(reader);
    nudge = waits_for_room_;
  }
  if (nudge) cancellation_.nudge();
}

Flight::View Flight::read_on(const void* reader, ByteCount at) {
  bool nudge = false;
  View view;
  {
    const Lock lock(mutex_);
    // Before there is a window nobody asks where they are, and there may be thousands.
    if (windowed_) readers_.move(reader, at);
    nudge = waits_for_room_ && has_room();
    view = view_locked();
  }
  if (nudge) cancellation_.nudge();
  return view;
}

bool Flight::watch(const Glance& seen, const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  if (glance_locked() != seen) return false;
  if (std::find(watchers_.begin(), watchers_.end(), waiter) == watchers_.end())
    watchers_.push_back(waiter);
  return true;
}

void Flight::unwatch(const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  std::erase(watchers_, waiter);
}

std::size_t Flight::callers() const {
  const Lock lock(mutex_);
  return callers_;
}

}  // namespace tanggul::cache
