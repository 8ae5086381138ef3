#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "tanggul/flight/alarm.h"
#include "tanggul/flight/single_flight.h"

// SingleFlight for coroutines of Boost.Asio: the same flights, the same outcomes, and no thread is
// blocked. Blocking and awaiting callers of one key may meet in one flight. Needs a compiler that
// passes the coroutine probe: g++ 12 does not.
//
//  - fn() returns a boost::asio::awaitable<Value, E>, or awaitable<void, E> for std::monostate. fn
//    itself is kept until its coroutine is over, so a lambda with captures may be one.
//  - Deadlines may be of any clock that Asio's timers take; the steady clock's kForever is none.
//  - A caller that is cancelled while it waits (Asio's cancellation slots, of a type that its
//    coroutine lets through: terminal, unless told otherwise) leaves with FlightError::cancelled;
//    one whose frame is destroyed just leaves. Neither disturbs the flight.
//  - A caller's executor may be any, of many threads too, but not one with
//    BOOST_ASIO_CONCURRENCY_HINT_UNSAFE if another thread ends the flight. Its context must outlive
//    the call, as for any operation of Asio's.
//  - A blocking run() on a context's only thread would hold up the coroutine that it waits for; an
//  fn
//    that awaits its own key waits for itself. Either ends by its deadline, and only so.
namespace tanggul {
namespace flight {

namespace asio = boost::asio;

template <class Awaitable>
struct AwaitableTraits;
template <class V, class E>
struct AwaitableTraits<asio::awaitable<V, E>> {
  using Value = V;
  using Executor = E;
};
template <class Fn>
using FnTraits = AwaitableTraits<std::remove_cvref_t<std::invoke_result_t<Fn&>>>;

// An alarm that rings when the flight has ended, for as long as it is in scope.
template <class Entry, class AlarmClock, class Executor>
class Attendance final : public Alarm<AlarmClock, Executor> {
 public:
  Attendance(std::shared_ptr<Entry> entry, const Executor& executor)
      : Alarm<AlarmClock, Executor>(executor), entry_(std::move(entry)) {
    if (!entry_->listen(*this)) this->ring();
  }
  ~Attendance() override { entry_->unlisten(*this); }

 private:
  const std::shared_ptr<Entry> entry_;
};

template <class Executor, class Entry, class C>
asio::awaitable<FlightOutcome<typename Entry::ValueType>, Executor> follow(
    std::shared_ptr<Entry> entry, std::chrono::time_point<C, typename C::duration> deadline,
    bool shared) {
  const Executor executor = co_await asio::this_coro::executor;
  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  Attendance<Entry, C, Executor> attendance(entry, executor);
  while (!entry->over() && C::now() < deadline) {
    if (cancellation.cancelled() != asio::cancellation_type::none)
      co_return outcome_of(entry, shared, FlightError::cancelled);
    constexpr asio::use_awaitable_t<Executor> use_here;
    co_await attendance.async_wait_until(deadline, asio::as_tuple(use_here));
  }
  co_return outcome_of(entry, shared, FlightError::deadline);
}

template <class Value, class Fn>
asio::awaitable<Value, typename FnTraits<Fn>::Executor> call(Fn& fn) {
  if constexpr (std::is_void_v<typename FnTraits<Fn>::Value>) {
    static_assert(std::is_same_v<Value, std::monostate>, "fn's awaitable is of void");
    co_await std::invoke(fn);
    co_return std::monostate{};
  } else {
    co_return co_await std::invoke(fn);
  }
}

template <class Table, class Key, class Fn, class C, class Value>
asio::awaitable<FlightOutcome<Value>, typename FnTraits<Fn>::Executor> run_in_frame(
    std::shared_ptr<Table> table, Key key, Fn fn,
    std::chrono::time_point<C, typename C::duration> deadline) {
  using Executor = typename FnTraits<Fn>::Executor;
  const auto boarding = table->board(key, std::thread::id());
  if (!boarding.starts) co_return co_await follow<Executor>(boarding.entry, deadline, true);
  Pilot<Table> pilot(*table, boarding.entry, table);
  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  try {
    pilot.land(co_await call<Value>(fn));
  } catch (...) {
    // What a cancelled caller's fn throws is about that caller: the others hear that it has left.
    if (cancellation.cancelled() == asio::cancellation_type::none)
      pilot.fail(std::current_exception());
    else
      pilot.abandon();
    throw;
  }
  co_return outcome_of(boarding.entry, false, FlightError::deadline);
}

template <class Value, class Table, class Fn>
asio::awaitable<void, typename FnTraits<Fn>::Executor> fly(
    typename Launch<Table>::Passenger passenger, Fn fn) {
  try {
    passenger.pilot().land(co_await call<Value>(fn));
  } catch (...) {
    passenger.pilot().fail(std::current_exception());
  }
}

template <class Table, class Executor, class Fn>
void spawn_flight(const std::shared_ptr<Table>& table, const typename Table::EntryPtr& entry,
                  const Executor& executor, Fn fn) {
  using Value = typename Table::Entry::ValueType;
  Pilot<Table> ours(*table, entry);
  Launch<Table> launch(*table, entry);
  try {
    asio::co_spawn(executor, fly<Value, Table>(launch.passenger(table), std::move(fn)),
                   asio::detached);
  } catch (...) {
    ours.release();
    launch.failed(std::current_exception());
    return;
  }
  ours.release();
  launch.launched();
}

template <class Caller, class Table, class Key, class C, class Executor, class Fn>
asio::awaitable<FlightOutcome<typename Table::Entry::ValueType>, Caller> run_elsewhere(
    std::shared_ptr<Table> table, Key key,
    std::chrono::time_point<C, typename C::duration> deadline, Executor executor, Fn fn) {
  const auto boarding = table->board(key, std::thread::id());
  if (boarding.starts) spawn_flight(table, boarding.entry, executor, std::move(fn));
  co_return co_await follow<Caller>(boarding.entry, deadline, !boarding.starts);
}

}  // namespace flight

// As SingleFlight::run(): the caller that starts the flight awaits fn() in its own coroutine. When
// that one is cancelled or destroyed the flight is abandoned; what fn throws then is thrown in it
// alone. The flight starts when the result is awaited; `flights` need not outlive the call.
template <class Flights, class K, class Fn, class C, class D>
auto async_run(Flights& flights, const K& key, Fn fn, std::chrono::time_point<C, D> deadline) {
  using Table = typename Flights::Table;
  using Key = typename Flights::KeyType;
  using Value = typename Flights::ValueType;
  return flight::run_in_frame<Table, Key, Fn, C, Value>(
      flights.table(), Key(key), std::move(fn),
      std::chrono::time_point_cast<typename C::duration>(deadline));
}
template <class Flights, class K, class Fn>
auto async_run(Flights& flights, const K& key, Fn fn) {
  return async_run(flights, key, std::move(fn), Flights::kForever);
}

// As SingleFlight::run_detached(): fn's coroutine is spawned on `executor`, belongs to no caller
// and is never cancelled. `Caller` is the executor type of the awaiting coroutine, where it is
// another than that of fn's.
template <class Caller = void, class Flights, class K, class C, class D, class Executor, class Fn>
auto async_run_detached(Flights& flights, const K& key, std::chrono::time_point<C, D> deadline,
                        Executor executor, Fn fn) {
  using Own = typename flight::FnTraits<Fn>::Executor;
  using Awaiting = std::conditional_t<std::is_void_v<Caller>, Own, Caller>;
  using Table = typename Flights::Table;
  using Key = typename Flights::KeyType;
  return flight::run_elsewhere<Awaiting, Table, Key, C, Executor, Fn>(
      flights.table(), Key(key), std::chrono::time_point_cast<typename C::duration>(deadline),
      std::move(executor), std::move(fn));
}

// Starts a flight for which nobody waits yet, unless there is one: whether it did. At once, and on
// any thread.
template <class Flights, class K, class Executor, class Fn>
bool start_detached(Flights& flights, const K& key, const Executor& executor, Fn fn) {
  const typename Flights::KeyType own(key);
  const auto boarding = flights.table()->board(own, std::thread::id());
  if (boarding.starts)
    flight::spawn_flight(flights.table(), boarding.entry, executor, std::move(fn));
  return boarding.starts;
}

}  // namespace tanggul
