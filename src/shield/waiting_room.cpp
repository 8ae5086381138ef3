#include "shield/waiting_room.h"

namespace tanggul::shield {

void WaitingRoom::configure(std::size_t most) {
  const Lock lock(mutex_);
  share_.set_capacity(most);
}

WaitingRoom::Seat WaitingRoom::enter(const std::string& client, const async::WaiterPtr& waiter) {
  using policy::FairShare;
  async::WaiterPtr woken;
  Seat seat;
  {
    const Lock lock(mutex_);
    const FairShare::Entry may = share_.ask(client);
    if (may == FairShare::Entry::refused || closed_) return seat;
    if (may == FairShare::Entry::displaces) displace_one(woken);
    share_.enter(client);
    guests_.push_back({waiter, client});
    seat = Seat(*this, std::prev(guests_.end()));
  }
  if (woken) woken->wake();
  return seat;
}

void WaitingRoom::close() {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    closed_ = true;
    for (Guest& guest : guests_) {
      guest.displaced = true;
      share_.leave(guest.client);
      woken.push_back(guest.waiter);
    }
    out_.splice(out_.end(), guests_);
  }
  for (const auto& w : woken) w->wake();
}

// The youngest of the client that holds more than its half.
void WaitingRoom::displace_one(async::WaiterPtr& woken) {
  for (auto it = guests_.rbegin(); it != guests_.rend(); ++it) {
    if (!share_.over_half(it->client)) continue;
    const Place youngest = std::prev(it.base());
    youngest->displaced = true;
    share_.leave(youngest->client);
    woken = youngest->waiter;
    out_.splice(out_.end(), guests_, youngest);
    return;
  }
}

std::size_t WaitingRoom::size() const {
  const Lock lock(mutex_);
  return guests_.size();
}

WaitingRoom::Seat& WaitingRoom::Seat::operator=(Seat&& other) noexcept {
  if (this != &other) {
    leave();
    room_ = std::exchange(other.room_, nullptr);
    place_ = other.place_;
  }
  return *this;
}

void WaitingRoom::Seat::leave() {
  WaitingRoom* room = std::exchange(room_, nullptr);
  if (room == nullptr) return;
  const Lock lock(room->mutex_);
  if (place_->displaced) {
    room->out_.erase(place_);
    return;
  }
  room->share_.leave(place_->client);
  room->guests_.erase(place_);
}

bool WaitingRoom::Seat::holds() const {
  if (room_ == nullptr) return false;
  const Lock lock(room_->mutex_);
  return !place_->displaced;
}

}  // namespace tanggul::shield
