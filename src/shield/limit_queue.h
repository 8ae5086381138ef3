#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>

#include "async/waiter.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "policy/concurrency_limit.h"
#include "policy/rate_limit.h"
#include "ports/origin.h"
#include "shield/config.h"

namespace tanggul::shield {

// How many requests one origin may have at once, and how often; the rest waits here, first come
// first served, bounded in number and time. One client holds at most half of the queue while
// another waits. Thread-safe.
class LimitQueue {
 public:
  LimitQueue(const LimitConfig& config, Histogram& waits);

  // A place, given back by release(). Errc::limit: the queue is full, or queue_wait is over;
  // Errc::cancelled.
  Task<Result<void>> acquire(std::string client, async::WaiterPtr waiter,
                             ports::Cancellation& cancel);
  void release(Duration taken, bool dropped);

  std::size_t queued() const;
  int running() const;

 private:
  struct Waiting {
    async::WaiterPtr waiter;
    std::string client;
    bool granted = false;
    bool displaced = false;  // by another client, as this one held more than its half
  };
  using Place = std::list<Waiting>::iterator;

  struct Turn {
    LimitQueue& queue;
    Place place{};
    bool waits = false;
    explicit Turn(LimitQueue& q) : queue(q) {}
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
  };

  enum class Entry { granted, queued, refused };
  Entry enter(const std::string& client, const async::WaiterPtr& waiter, Place& place);
  bool leave(Place place);          // true: it had been granted meanwhile
  bool decided(Place place) const;  // granted or displaced
  // The wait for the rate, reserved; nullopt: it would be longer than `most`, or the day is used
  // up.
  std::optional<Duration> rate_delay(MonoTime now, Duration most);
  bool displace_one(const std::string& client) REQUIRES(mutex_);
  void grant_next(std::vector<async::WaiterPtr>& woken) REQUIRES(mutex_);
  void forget_client(const std::string& client) REQUIRES(mutex_);

  const LimitConfig config_;
  Histogram& waits_;
  mutable Mutex mutex_;
  policy::ConcurrencyLimit limit_ GUARDED_BY(mutex_);
  std::optional<policy::RateLimit> rate_ GUARDED_BY(mutex_);
  int running_ GUARDED_BY(mutex_) = 0;
  std::list<Waiting> queue_ GUARDED_BY(mutex_);    // not yet granted, oldest first
  std::list<Waiting> granted_ GUARDED_BY(mutex_);  // decided, but not yet noticed
  std::map<std::string, std::size_t> clients_ GUARDED_BY(mutex_);
  std::uint64_t today_ GUARDED_BY(mutex_) = 0;
  MonoTime day_ends_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::shield
