#pragma once

#include <cstdint>
#include <string>

#include "async/task.h"
#include "async/waiter.h"
#include "ports/patience.h"
#include "tanggul/base/clock.h"

namespace tanggul::ports {

// What the whole cluster may do to one origin. A number of 0 switches that rule off.
struct SharedRules {
  bool breaker = false;
  Duration window{};
  int min_requests = 0;
  double failure_ratio = 0;
  Duration open_for{}, max_open{};
  int probes = 0;
  Duration probe_lease{};

  int concurrency = 0;
  double rate = 0;  // a second
  double burst = 1;
  std::uint64_t daily = 0;
};

// The cluster's breaker of one origin, at the moment of the telling.
struct BreakerView {
  enum class State { closed, half_open, open };
  State state = State::closed;
  Duration until{};  // open: to the next probe; half-open: the most that the running probe may take
  bool probing = false;  // half-open: somebody's probe is on its way
  int failed_rounds = 0;
  std::uint64_t generation = 0;  // one more at each opening and closing
};

struct AttemptAsk {
  std::string origin;
  std::string credential;  // hashed; empty: none
  SharedRules rules;
  Duration may_wait{};  // for the rate
};

// Leave for one attempt, or why there is none.
struct AttemptLeave {
  enum class Kind {
    go,           // after `wait`; finish() is owed
    open,         // the breaker is open, or another's probe is on its way
    full,         // as many run as may: watch() tells when to ask again
    paused,       // the origin, or this credential, rests
    used_up,      // the day is, or the wait for the rate would be too long
    unavailable,  // not known: this node's own limits are all there is
  };
  Kind kind = Kind::unavailable;
  Duration wait{};    // go: for the rate, before the attempt; else: asking again is worth it then
  std::string place;  // go: to be given back
  std::uint64_t generation = 0;  // go: of the breaker
  bool probe = false;            // go: this attempt is the probe
  BreakerView breaker;           // whenever the breaker is among the rules
};

enum class AttemptSample { success, failure, ignored };

struct AttemptEnd {
  std::string origin;
  std::string place;
  SharedRules rules;
  std::uint64_t generation = 0;
  bool probe = false;
  AttemptSample sample = AttemptSample::ignored;
  Duration pause{};        // the origin asked for it; 0: it did not
  std::string credential;  // whose pause it is; empty: everybody's
};

// The breaker, the rate, the concurrency and the daily budget of the whole cluster, decided in one
// step and by one clock. A node that dies gives its places back within kPlaceLives. One object a
// thread.
class SharedLimits {
 public:
  static constexpr Duration kPlaceLives = 15s;

  virtual ~SharedLimits() = default;
  virtual Task<AttemptLeave> ask(AttemptAsk what, Patience& patience) = 0;
  // At once, by itself.
  virtual void finish(AttemptEnd end) = 0;
  // Wakes `waiter` when a place at `origin` has come free on whatever node, until unwatch_places().
  // A wake may be lost.
  virtual void watch_places(const std::string& origin, const async::WaiterPtr& waiter) = 0;
  virtual void unwatch_places(const std::string& origin, const async::WaiterPtr& waiter) = 0;
};

}  // namespace tanggul::ports
