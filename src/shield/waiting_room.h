#pragma once

#include <list>
#include <string>
#include <utility>
#include <vector>

#include "async/waiter.h"
#include "base/mutex.h"
#include "tanggul/policy/fair_share.h"

namespace tanggul::shield {

// The requests that are held while their origin is down: bounded in number, and no client has more
// than half of it while another waits. Thread-safe.
class WaitingRoom {
 private:
  struct Guest {
    async::WaiterPtr waiter;
    std::string client;
    bool displaced = false;
  };
  using Place = std::list<Guest>::iterator;

 public:
  explicit WaitingRoom(std::size_t most) : share_(most) {}
  void configure(std::size_t most);

  // A place, given back at the end of its scope.
  class Seat {
   public:
    Seat() = default;
    Seat(WaitingRoom& room, Place place) : room_(&room), place_(place) {}
    ~Seat() { leave(); }
    Seat(Seat&& other) noexcept
        : room_(std::exchange(other.room_, nullptr)), place_(other.place_) {}
    Seat& operator=(Seat&& other) noexcept;
    void leave();
    // Has one, and has not had to give way to another client.
    bool holds() const;

   private:
    WaitingRoom* room_ = nullptr;
    Place place_;
  };

  // Everybody has to leave, and nobody comes in any more.
  void close();
  // Without a place when there is no room. `waiter` is woken if it has to give way.
  Seat enter(const std::string& client, const async::WaiterPtr& waiter);
  std::size_t size() const;

 private:
  void displace_one(async::WaiterPtr& woken) REQUIRES(mutex_);

  mutable Mutex mutex_;
  policy::FairShare share_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  std::list<Guest> guests_ GUARDED_BY(mutex_);  // oldest first
  std::list<Guest> out_ GUARDED_BY(mutex_);     // had to give way, and have not left yet
};

}  // namespace tanggul::shield
