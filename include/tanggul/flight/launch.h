#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "tanggul/flight/flight_table.h"

namespace tanggul::flight {

// Hands a flight over to an executor. While it does, a Pilot that goes away says nothing: if the
// hand-over throws, the waiters hear the exception and not that the flight was abandoned, which is
// the word only for an executor that dropped what it had accepted.
template <class Table>
class Launch {
 public:
  explicit Launch(Table& table, typename Table::EntryPtr entry)
      : table_(table), entry_(std::move(entry)) {}

  class Passenger {
   public:
    Passenger(std::shared_ptr<std::atomic<std::uint8_t>> state, Pilot<Table> pilot) noexcept
        : state_(std::move(state)), pilot_(std::move(pilot)) {}
    Passenger(Passenger&&) noexcept = default;
    Passenger& operator=(Passenger&&) = delete;
    ~Passenger() {
      std::uint8_t seen = kLaunching;
      if (state_ && state_->compare_exchange_strong(seen, kDropped)) pilot_.release();
    }
    Pilot<Table>& pilot() noexcept { return pilot_; }

   private:
    std::shared_ptr<std::atomic<std::uint8_t>> state_;
    Pilot<Table> pilot_;
  };

  Passenger passenger(const std::shared_ptr<Table>& kept) {
    return Passenger(state_, Pilot<Table>(table_, entry_, kept));
  }
  // The hand-over is done.
  void launched() noexcept {
    std::uint8_t seen = kLaunching;
    if (!state_->compare_exchange_strong(seen, kLaunched)) Pilot<Table>(table_, entry_).abandon();
  }
  // It threw.
  void failed(std::exception_ptr why) noexcept {
    Pilot<Table>(table_, entry_).fail(std::move(why));
  }

 private:
  static constexpr std::uint8_t kLaunching = 0, kLaunched = 1, kDropped = 2;

  Table& table_;
  typename Table::EntryPtr entry_;
  std::shared_ptr<std::atomic<std::uint8_t>> state_ =
      std::make_shared<std::atomic<std::uint8_t>>(kLaunching);
};

}  // namespace tanggul::flight
