#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "flight/executors_for_test.h"
#include "tanggul/flight/single_flight.h"

namespace tanggul {
namespace {

// A table beside its model: which flight each key has, and what each flight's starter and joiners
// must have heard. Flights are detached, so that one thread can play any order of events.
class Played {
 public:
  void call(int key) {
    const auto over = std::chrono::steady_clock::now();
    const int number = next_;
    const auto outcome = flights_.run_detached(key, over, starts_, [number]() -> int {
      if (number % 3 == 0) throw number;
      return number;
    });
    const bool started = starts_.taken() > 0;
    RC_ASSERT(!outcome.has_value());
    RC_ASSERT(outcome.error() == FlightError::deadline);
    RC_ASSERT(outcome.shared() == current_.contains(key));
    RC_ASSERT(started != current_.contains(key));
    if (!started) return;
    flying_.push_back({key, next_, std::make_unique<test::Later>(std::move(starts_))});
    starts_ = test::Later();
    current_[key] = next_++;
  }
  void forget(int key) { RC_ASSERT(flights_.forget(key) == (current_.erase(key) == 1)); }
  // The flight at that place ends: by its fn, or because its executor drops it.
  void end(std::size_t place, bool dropped) {
    if (flying_.empty()) return;
    const auto at = flying_.begin() + static_cast<std::ptrdiff_t>(place % flying_.size());
    dropped ? at->executor->drop() : at->executor->run();
    const auto found = current_.find(at->key);
    if (found != current_.end() && found->second == at->number) current_.erase(found);
    flying_.erase(at);
  }
  void check() { RC_ASSERT(flights_.in_flight() == current_.size()); }
  std::size_t flying() const { return flying_.size(); }

 private:
  struct Flying {
    int key, number;
    std::unique_ptr<test::Later> executor;
  };

  SingleFlight<int, int> flights_;
  test::Later starts_;
  std::map<int, int> current_;  // of each key that has one, its flight's number
  std::vector<Flying> flying_;  // forgotten ones too
  int next_ = 0;
};

TEST(SingleFlightModel, AnyOrderOfCallsForgetsAndEndsLeavesWhatTheModelSays) {
  rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& events) {
    Played played;
    for (const auto& [what, which] : events) {
      switch (what % 4) {
        case 0:
        case 1:
          played.call(which % 3);
          break;
        case 2:
          played.forget(which % 3);
          break;
        default:
          played.end(which, what % 8 == 7);
      }
      played.check();
    }
    while (played.flying() > 0) played.end(0, false);
    played.check();
  });
}

}  // namespace
}  // namespace tanggul
