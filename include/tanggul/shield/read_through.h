#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "tanggul/flight/awaitable.h"
#include "tanggul/flight/single_flight.h"
#include "tanggul/policy/freshness.h"
#include "tanggul/shield/load_guard.h"
#include "tanggul/shield/read_through_config.h"
#include "tanggul/shield/reading.h"
#include "tanggul/shield/remembered.h"

namespace tanggul {

// A guarded read-through for values that are slow to load and asked for by many: what the shield
// does for HTTP, inside somebody's own service.
//
//   hit        remembered and fresh; by chance the one that refreshes it early, in the background
//   stale      past its time: served while one refresh runs, or in place of a load that failed
//   negative   remembered to be absent (or, if configured, to have failed)
//   miss       one load a key, whoever asks: it belongs to none of its callers and has a
//              deadline of its own. A caller that leaves, or whose time is over, disturbs nobody
//
// A load passes breaker, concurrency, queue and rate. A failure reaches all who wait for it, is by
// default not remembered, and the next call loads anew. No exception comes out: what the loader
// threw stands in Reading::failure.
//
// loader(key, deadline) is a coroutine that returns the value, nullopt where the key has none, or
// throws; the deadline is on MonoClock. It runs on the executor given at the construction, whose
// handlers must never run two at a time (an io_context of one thread, a strand). At the deadline it
// is cancelled by Asio's terminal cancellation and its callers are told; it keeps its place among
// the concurrent ones until it has really ended, so that a hung database is not asked by ever more.
//
// The weigher, like Hash and Equal, may run on any thread and must not throw.
//
// get() may be called on any thread, and awaited on any executor. A ReadThrough may go while loads
// run, its executor's context may not go before the calls that wait in it. Time is MonoClock's, so
// a VirtualClock plays it; chance comes from the Rng.
//
// Sources: singleflight (golang.org/x/sync); XFetch, Vattani et al., VLDB 2015; stale-* as RFC
// 5861.
template <class Key, class Value, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          class Executor = boost::asio::any_io_executor>
class ReadThrough {
 public:
  template <class T>
  using Awaitable = boost::asio::awaitable<T, Executor>;
  using Loader = std::function<Awaitable<std::optional<Value>>(Key key, MonoTime deadline)>;
  using Weigher = std::function<std::uint64_t(const Key&, const Value&)>;

  ReadThrough(Executor executor, Loader loader, ReadThroughConfig config = {},
              Weigher weigher = nullptr, Rng rng = Rng(thread_rng().bits()))
      : core_(std::make_shared<Core>(std::move(executor), std::move(loader), config,
                                     std::move(weigher), rng)) {}
  ReadThrough(const ReadThrough&) = delete;
  ReadThrough& operator=(const ReadThrough&) = delete;

  // What is remembered costs one look-up under a lock; anything else waits for a load until the
  // deadline. Caller: the executor type of the coroutine that awaits it.
  template <class Caller = Executor>
  boost::asio::awaitable<Reading<Value>, Caller> get(Key key, MonoTime deadline = kForever) {
    return read<Caller>(core_, std::move(key), deadline);
  }

  // The next call loads anew; a load that runs is delivered to who waits for it, and not
  // remembered.
  void forget(const Key& key) {
    core_->remembered.remove(key);
    core_->flights.forget(key);
  }

  // For metrics: read at any time, on any thread.
  ReadThroughFigures figures() const {
    const auto size = core_->remembered.size();
    const auto state = core_->guard->state(MonoClock::now());
    const Counts& c = core_->counts;
    return {.hits = c.how[0],
            .stale = c.how[1],
            .negative = c.how[2],
            .misses = c.how[3],
            .coalesced = c.how[4],
            .errors = c.errors,
            .stale_if_error = c.stale_if_error,
            .deadlines = c.deadlines,
            .loads = c.loads,
            .refreshes = c.refreshes,
            .attempts = c.attempts,
            .retries = c.retries,
            .failures = c.failures,
            .refused_open = state.open,
            .refused_limit = state.limit,
            .evictions = size.evictions,
            .entries = size.entries,
            .weight = size.weight,
            .in_flight = core_->flights.in_flight(),
            .running = state.running,
            .queued = state.queued,
            .breaker = state.breaker};
  }

 private:
  using Entry = read_through::Entry<Value>;
  using EntryPtr = read_through::EntryPtr<Value>;
  using Found = read_through::Found;
  using Place = read_through::LoadGuard::Place;

  struct Counts {
    std::atomic<std::uint64_t> how[5]{};
    std::atomic<std::uint64_t> errors{0}, stale_if_error{0}, deadlines{0}, loads{0}, refreshes{0},
        attempts{0}, retries{0}, failures{0};
  };

  // What a flight brings: an entry, or why there is none.
  struct Loaded {
    EntryPtr entry{};
    ReadError error = ReadError::none;
    std::exception_ptr failure{};
    Duration retry_after{};
  };

  // All that flights need, so that they may outlive the ReadThrough.
  struct Core {
    Core(Executor e, Loader l, const ReadThroughConfig& c, Weigher w, Rng& r)
        : executor(std::move(e)),
          loader(std::move(l)),
          config(c),
          weigher(std::move(w)),
          remembered(c, Rng(r.bits())),
          guard(std::make_shared<read_through::LoadGuard>(c, Rng(r.bits()))),
          seed(r.bits()) {}

    const Executor executor;
    const Loader loader;
    const ReadThroughConfig config;
    const Weigher weigher;
    read_through::Remembered<Key, Value, Hash, Equal> remembered;
    const std::shared_ptr<read_through::LoadGuard> guard;
    SingleFlight<Key, Loaded, Hash, Equal> flights;
    Counts counts;
    Rng seed;  // touched on the executor only, as all loads are
  };
  using CorePtr = std::shared_ptr<Core>;

  // One attempt that may end after those who wait for it have gone. Touched on the executor only.
  struct Attempt {
    explicit Attempt(const Executor& executor, Place p) : place(std::move(p)), alarm(executor) {}
    Place place;
    flight::Alarm<MonoClock, Executor> alarm;
    boost::asio::cancellation_signal cancellation;
    bool over = false;
    std::optional<Value> value;
    std::exception_ptr failure;
  };
  using AttemptPtr = std::shared_ptr<Attempt>;

  // --- a call ---

  template <class Caller>
  static boost::asio::awaitable<Reading<Value>, Caller> read(CorePtr core, Key key,
                                                             MonoTime deadline) {
    const read_through::Look<Value> look = core->remembered.look(key, MonoClock::now());
    switch (look.found) {
      case Found::fresh_refresh:
      case Found::stale_refresh:
        refresh(core, key, look.entry);
        [[fallthrough]];
      case Found::fresh:
        co_return counted(*core, served(*look.entry, look.found == Found::stale_refresh));
      case Found::failed:
        co_return counted(*core, failed(*core,
                                        {nullptr, look.failure.error, look.failure.thrown,
                                         look.failure.until - MonoClock::now()},
                                        look.entry, ReadHow::negative, false));
      case Found::missing:
        break;
    }
    const auto outcome = co_await async_run_detached<Caller>(
        core->flights, key, deadline, core->executor,
        [core, key, seen = look.entry] { return load(core, key, seen); });
    co_return counted(*core, delivered(*core, outcome, look.entry));
  }

  static void refresh(const CorePtr& core, const Key& key, const EntryPtr& seen) {
    const bool started = start_detached(core->flights, key, core->executor,
                                        [core, key, seen] { return load(core, key, seen); });
    if (started) ++core->counts.refreshes;
  }

  static Reading<Value> served(const Entry& entry, bool stale) {
    Reading<Value> reading;
    reading.status = entry.value ? ReadStatus::value : ReadStatus::absent;
    reading.how = stale ? ReadHow::stale : entry.value ? ReadHow::hit : ReadHow::negative;
    reading.value = entry.value;
    return reading;
  }
  static Reading<Value> delivered(Core& core, const FlightOutcome<Loaded>& outcome,
                                  const EntryPtr& held) {
    const ReadHow how = outcome.shared() ? ReadHow::coalesced : ReadHow::miss;
    if (!outcome)
      return failed(core, {nullptr, said(outcome.error()), {}, {}}, held, how, outcome.shared());
    if (!outcome->entry) return failed(core, *outcome, held, how, outcome.shared());
    Reading<Value> reading = served(*outcome->entry, false);
    reading.how = how;
    reading.shared = outcome.shared();
    return reading;
  }
  // A value past its time stands in for what could not be had, unless the caller has left.
  static Reading<Value> failed(Core& core, const Loaded& why, const EntryPtr& held, ReadHow how,
                               bool shared) {
    Reading<Value> reading;
    const bool stands_in = held && held->value && why.error != ReadError::cancelled &&
                           MonoClock::now() < held->expires + core.config.stale_if_error;
    if (stands_in) {
      reading = served(*held, true);
      ++core.counts.stale_if_error;
    } else {
      reading.how = how;
      reading.shared = shared;
    }
    reading.error = why.error;
    reading.failure = why.failure;
    reading.retry_after = why.retry_after;
    return reading;
  }
  static ReadError said(FlightError error) {
    switch (error) {
      case FlightError::deadline:
        return ReadError::deadline;
      case FlightError::cancelled:
        return ReadError::cancelled;
      case FlightError::abandoned:
      case FlightError::recursive:
        break;
    }
    return ReadError::abandoned;
  }
  static Reading<Value> counted(Core& core, Reading<Value> reading) {
    ++core.counts.how[static_cast<std::size_t>(reading.how)];
    if (reading.status == ReadStatus::error) ++core.counts.errors;
    if (reading.error == ReadError::deadline) ++core.counts.deadlines;
    return reading;
  }

  // --- a flight, on the executor ---

  static Awaitable<Loaded> load(CorePtr core, Key key, EntryPtr seen) {
    const MonoTime begun = MonoClock::now();
    // Between this flight's caller having looked and this flight having begun another one may have
    // landed: what that one brought is what this one would load.
    const auto look = core->remembered.look(key, begun);
    if (look.entry && look.entry != seen && begun < look.entry->expires)
      co_return Loaded{.entry = look.entry};
    ++core->counts.loads;
    const std::uint64_t epoch = core->remembered.epoch();
    const MonoTime deadline = begun + core->config.load_deadline;
    Loaded loaded = co_await attempts(core, key, deadline, epoch);
    if (!loaded.entry && core->config.failure_ttl > Duration::zero()) {
      core->remembered.keep_failure(
          key,
          {loaded.error, loaded.failure,
           MonoClock::now() + lengthened(*core, core->config.failure_ttl)},
          epoch);
    }
    co_return loaded;
  }

  static Awaitable<Loaded> attempts(CorePtr core, Key key, MonoTime deadline, std::uint64_t epoch) {
    std::shared_ptr<void> retry;  // its place in the budget
    for (int n = 1;; ++n) {
      auto entered = co_await core->guard->template enter<Executor>(deadline);
      if (!entered.place) co_return Loaded{{}, entered.why, {}, entered.retry_after};
      const MonoTime began = entered.place.began();
      ++core->counts.attempts;
      if (retry) ++core->counts.retries;
      const AttemptPtr attempt = start(core, key, deadline, std::move(entered.place));
      while (!attempt->over && MonoClock::now() < deadline)
        co_await read_through::wait_until(attempt->alarm, deadline);
      retry.reset();
      if (attempt->over && !attempt->failure) co_return kept(*core, key, *attempt, began, epoch);
      ++core->counts.failures;
      if (!attempt->over) co_return given_up(*attempt);
      const Loaded failure{{}, ReadError::failed, attempt->failure, {}};
      if (n >= core->config.retry.attempts) co_return failure;
      const MonoTime now = MonoClock::now();
      retry = core->guard->reserve_retry(now);
      const MonoTime again = now + core->guard->backoff(n - 1);
      if (!retry || again >= deadline) co_return failure;
      co_await read_through::sleep_until<Executor>(again);
    }
  }

  static AttemptPtr start(const CorePtr& core, const Key& key, MonoTime deadline, Place place) {
    auto attempt = std::make_shared<Attempt>(core->executor, std::move(place));
    boost::asio::co_spawn(
        core->executor, run(core, attempt, key, deadline),
        boost::asio::bind_cancellation_slot(attempt->cancellation.slot(),
                                            [attempt](const std::exception_ptr&) {}));
    return attempt;
  }
  static Awaitable<void> run(CorePtr core, AttemptPtr attempt, Key key, MonoTime deadline) {
    try {
      attempt->value = co_await core->loader(key, deadline);
      attempt->place.record(policy::BreakerSample::success);
    } catch (...) {
      attempt->failure = std::current_exception();
      attempt->place.record(policy::BreakerSample::failure);
    }
    attempt->over = true;
    attempt->place.give_back();
    attempt->alarm.ring();
  }
  // It may never end: its place goes with it, its callers do not.
  static Loaded given_up(Attempt& attempt) {
    attempt.place.record(policy::BreakerSample::failure);
    attempt.cancellation.emit(boost::asio::cancellation_type::terminal);
    return Loaded{{}, ReadError::too_slow, {}, {}};
  }

  static Loaded kept(Core& core, const Key& key, Attempt& attempt, MonoTime began,
                     std::uint64_t epoch) {
    const MonoTime now = MonoClock::now();
    auto entry = std::make_shared<Entry>();
    const bool present = attempt.value.has_value();
    if (present) entry->value = std::make_shared<const Value>(std::move(*attempt.value));
    const Duration lifetime = present ? core.config.ttl : core.config.absent_ttl;
    entry->expires = now + lengthened(core, lifetime);
    entry->cost = now - began;
    if (present && core.weigher) entry->weight = core.weigher(key, *entry->value);
    Loaded loaded{.entry = entry};
    if (lifetime > Duration::zero()) core.remembered.keep(key, std::move(entry), epoch);
    return loaded;
  }
  static Duration lengthened(Core& core, Duration lifetime) {
    return lifetime + policy::lifetime_jitter(lifetime, core.config.jitter, core.seed);
  }

  const CorePtr core_;
};

}  // namespace tanggul
