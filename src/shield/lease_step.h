#pragma once

#include <memory>
#include <optional>
#include <string>

#include "shield/fetch.h"
#include "shield/held_lease.h"
#include "shield/shared_cache.h"
#include "tanggul/base/random.h"

namespace tanggul::shield {

// The step lease of one fetch: who in the cluster asks the origin, and what the others do
// meanwhile. Used by the fetch's thread.
class LeaseStep {
 public:
  struct Turn {
    enum class Kind {
      fetch,    // this node asks the origin; without a lease where the cluster cannot be asked
      follow,   // another node does, at `holder`
      copied,   // there is a copy that is fresh
      failed,   // another node's fetch has failed a moment ago
      given_up  // nobody waits any more
    };
    Kind kind = Kind::fetch;
    std::unique_ptr<HeldLease> lease;
    std::string holder;
    std::optional<SharedCache::Read> read;
    std::optional<cache::Failure> failure;
  };

  LeaseStep(Shield& shield, const Outside& outside, FetchJob& job, async::WaiterPtr waiter,
            Rng& rng);
  ~LeaseStep();
  LeaseStep(const LeaseStep&) = delete;
  LeaseStep& operator=(const LeaseStep&) = delete;

  // Asked again after a follow or a copy that led to nothing.
  Task<Turn> next();
  // What is asked for from now on, as the key that was known was not precise enough.
  void ask_for(const std::string& flight_key);

  // The same holder may be followed once more: it was only slow.
  void follow_again() noexcept { followed_ = 0; }

  // The version that what the followed holder publishes will have.
  std::uint64_t holders_version() const noexcept { return holder_; }

  const std::string& id() const noexcept { return request_.id; }
  const std::string& flight_key() const noexcept { return flight_key_; }
  SharedCache& copies() noexcept { return copies_; }

 private:
  Task<void> wait_for_change();
  std::optional<Turn> take(const ports::Acquired& acquired, cache::Generation generation);
  Turn leave(Turn turn);
  bool usable(const SharedCache::Read& read) const;
  void watch(const std::string& id);

  Shield& shield_;
  const Outside outside_;
  FetchJob& job_;
  const async::WaiterPtr waiter_;
  Rng& rng_;
  SharedCache copies_;
  ports::LeaseRequest request_;
  std::string flight_key_;
  std::string watched_;
  std::uint64_t followed_ = 0;  // the fence of the holder that was followed last; 0: may be again
  std::uint64_t holder_ = 0;    // the fence of whom next() said to follow
  bool held_back_ = false;      // the flight is told so while it waits for an origin that is down
  const WallTime began_on_ = wall_now();
  int polls_ = 0;
  const MonoTime began_ = MonoClock::now();
};

}  // namespace tanggul::shield
