#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "async/waiter.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "ports/origin.h"
#include "shield/config.h"
#include "tanggul/policy/concurrency_limit.h"
#include "tanggul/policy/fair_share.h"
#include "tanggul/policy/rate_limit.h"

namespace tanggul::shield {

// Whose the configured limits are.
enum class LimitShare {
  own,      // this node's alone
  cluster,  // the whole cluster's, which has a word of its own on each attempt: what is left here
            // is the line of those who wait, at most as many running as the cluster may
  part,     // the whole cluster's, which cannot be asked: this node keeps to its part of them
};

// How many requests one origin may have at once, and how often; the rest waits here, first come
// first served, bounded in number and time. One client holds at most half of the queue while
// another waits. Thread-safe.
class LimitQueue {
 public:
  LimitQueue(const LimitConfig& config, Histogram& waits, Counter& refusals);
  // Other numbers from now on; who waits or runs goes on.
  void configure(const LimitConfig& config);
  // `nodes` in the cluster, for the part.
  void share(LimitShare share, std::size_t nodes);

  // Who was held while the origin was down has waited already: it goes before the line, is never
  // refused for want of room, and has no end to its wait.
  enum class From { line, hold };

  // A place, given back by release(), and by whose numbers it was had. Errc::limit: the queue is
  // full, queue_wait is over, or the day is used up; Errc::cancelled.
  Task<Result<LimitShare>> acquire(std::string client, async::WaiterPtr waiter,
                                   ports::Cancellation& cancel, From from = From::line);
  void release(Duration taken, bool dropped);

  // One that has a place here and is not at the origin yet, as the cluster has a word on that.
  class Asking {
   public:
    Asking(LimitQueue& queue, async::WaiterPtr waiter, LimitShare had_by);
    ~Asking() { go(); }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    void go();  // to the origin, by the cluster's leave

   private:
    friend LimitQueue;
    LimitQueue& queue_;
    const async::WaiterPtr waiter_;
    const LimitShare had_by_;
    bool full_ = false;  // it waits for one of this node's to come back
    std::list<Asking*>::iterator place_;
  };

  // The cluster could not be asked: what this node's part of the limits says. Unless it is full or
  // there is no `delay`, `asking` goes.
  struct Part {
    bool full = false;  // as many of this node's are at the origin; its waiter hears of one's end
    std::optional<Duration> delay;  // for the rate; nullopt: longer than `most`, or no more today
  };
  Part part(Asking& asking, MonoTime now, Duration most);

  std::size_t queued() const;       // with those that ask the cluster
  std::size_t most_queued() const;  // of the line; the held come on top
  int running() const;              // at the origin
  int limit() const;                // of those that may run at once, now

 private:
  struct Waiting {
    async::WaiterPtr waiter;
    std::string client;
    From from = From::line;
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
  Entry enter(const std::string& client, const async::WaiterPtr& waiter, From from, Place& place);
  Duration queue_wait() const;
  Errc refuse();                    // counted
  bool leave(Place place);          // true: it had been granted meanwhile
  bool decided(Place place) const;  // granted or displaced
  struct Reserved {
    std::optional<Duration> delay;  // as in Part
    LimitShare by = LimitShare::own;
  };
  Reserved reserve(MonoTime now, Duration most);
  std::optional<Duration> take(std::optional<policy::RateLimit>& rate, std::uint64_t& today,
                               std::uint64_t daily, MonoTime now, Duration most) REQUIRES(mutex_);
  void set_numbers() REQUIRES(mutex_);
  void displace_one() REQUIRES(mutex_);
  void grant_next(std::vector<async::WaiterPtr>& woken) REQUIRES(mutex_);
  void remove(Asking& asking) REQUIRES(mutex_);
  int at_origin() const REQUIRES(mutex_) { return running_ - static_cast<int>(asking_.size()); }

  Histogram& waits_;
  Counter& refusals_;
  mutable Mutex mutex_;
  LimitConfig config_ GUARDED_BY(mutex_);   // as configured
  LimitConfig numbers_ GUARDED_BY(mutex_);  // of them what holds now
  LimitShare shared_ GUARDED_BY(mutex_) = LimitShare::own;
  std::size_t nodes_ GUARDED_BY(mutex_) = 1;
  policy::ConcurrencyLimit limit_ GUARDED_BY(mutex_);
  std::optional<policy::RateLimit> rate_ GUARDED_BY(mutex_);
  LimitConfig part_ GUARDED_BY(mutex_);  // of `config_`, what this node may by itself
  std::optional<policy::RateLimit> part_rate_ GUARDED_BY(mutex_);
  int running_ GUARDED_BY(mutex_) = 0;
  std::list<Waiting> queue_ GUARDED_BY(mutex_);    // not yet granted: the held, then the line
  std::list<Waiting> granted_ GUARDED_BY(mutex_);  // decided, but not yet noticed
  std::list<Asking*> asking_ GUARDED_BY(mutex_);   // of those that run
  policy::FairShare share_ GUARDED_BY(mutex_);     // of the line
  std::uint64_t today_ GUARDED_BY(mutex_) = 0;
  std::uint64_t today_alone_ GUARDED_BY(mutex_) = 0;  // of those about which nobody could be asked
  MonoTime day_ends_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::shield
