#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "tanggul/flight/flight_table.h"
#include "tanggul/flight/launch.h"
#include "tanggul/flight/outcome.h"

namespace tanggul {

// Lets a SingleFlight of std::string be asked by std::string_view:
// SingleFlight<std::string, Row, StringHash, std::equal_to<>>.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const noexcept {
    return std::hash<std::string_view>{}(s);
  }
};

// One call at a time for each key: whoever asks for a key whose call is under way waits for that
// one and gets what it brings, the same immutable Value for all (after Go's golang.org/x/sync/
// singleflight). It remembers nothing: once a flight is over the next call starts anew, after a
// value and after a failure alike.
//
//  - Value is moved once, never copied; std::monostate where there is nothing to bring (fn may then
//    return void). Key is copied once, by the call that starts. Hash and Equal are default
//    constructible; they, and Key's copy, run under a lock and must not come back to this object.
//  - Each caller has its own deadline, a point on the steady clock; kForever, the default, is none.
//    A caller whose time is over leaves with FlightError::deadline and disturbs nobody.
//  - What fn throws ends the flight, frees the key and is thrown again in every caller that waits:
//    one exception object, shared by their threads, so don't change it in a handler. Nothing else
//    is thrown but std::bad_alloc, what Key's copy throws and what an executor throws.
//  - fn may call run() for other keys. For its own key that is FlightError::recursive at once; two
//    flights that wait for each other through different keys end by their deadlines, and only so.
//
// Thread-safe. It may go before a detached flight has ended, but not while a call is in it.
template <class Key, class Value, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
class SingleFlight {
  static_assert(std::is_move_constructible_v<Value> && !std::is_const_v<Value>);

 public:
  using KeyType = Key;
  using ValueType = Value;
  using Outcome = FlightOutcome<Value>;
  using TimePoint = std::chrono::steady_clock::time_point;
  using Table = flight::FlightTable<Key, Value, Hash, Equal>;
  static constexpr TimePoint kForever = TimePoint::max();

  SingleFlight() = default;
  SingleFlight(const SingleFlight&) = delete;
  SingleFlight& operator=(const SingleFlight&) = delete;

  // The caller that starts the flight runs fn() itself, on its own thread, for as long as that
  // takes: the deadline is for those who wait.
  template <class K = Key, class Fn>
  Outcome run(const K& key, Fn&& fn, TimePoint deadline = kForever) {
    auto boarding = table_->board(as_key(key), std::this_thread::get_id());
    if (!boarding.starts) return follow(boarding.entry, deadline);
    flight::Pilot<Table> pilot(*table_, std::move(boarding.entry));
    typename Table::EntryPtr landed;
    try {
      landed = pilot.land(call(fn));
    } catch (...) {
      pilot.fail(std::current_exception());
      throw;
    }
    return flight::outcome_of(std::move(landed), false, FlightError::deadline);
  }

  // fn() runs on the executor, anything with a member execute(F) for an F that can be copied and
  // called once: Asio's executors, a thread pool's. So the caller that started it can leave at its
  // deadline too; the flight goes on, lands for those who still wait, and is joined by those who
  // come later. A deadline that is over starts it and waits for nothing. If execute() throws, that
  // is what every caller hears; if it drops what it took, they hear FlightError::abandoned.
  //
  // Don't wait here on the only thread of that executor: fn could not run before the deadline.
  template <class K = Key, class Executor, class Fn>
  Outcome run_detached(const K& key, TimePoint deadline, Executor&& executor, Fn fn) {
    const auto boarding = table_->board(as_key(key), std::thread::id());
    if (!boarding.starts) return follow(boarding.entry, deadline);
    launch(boarding.entry, executor, std::move(fn));
    return follow(boarding.entry, deadline, /*shared=*/false);
  }

  // The next caller of this key starts anew. Those who wait for the flight that runs still get what
  // it brings. Whether there was one.
  template <class K = Key>
  bool forget(const K& key) {
    return table_->forget(as_key(key));
  }

  // Keys whose flight is under way and not forgotten. Takes every shard's lock in turn.
  std::size_t in_flight() const { return table_->size(); }

  // For awaitable.h, and for who wants to see that the table's size is bounded.
  const std::shared_ptr<Table>& table() const noexcept { return table_; }

 private:
  static constexpr bool kTransparent = requires {
    typename Hash::is_transparent;
    typename Equal::is_transparent;
  };

  // Without transparent Hash and Equal a key of another type is converted first.
  template <class K>
  static decltype(auto) as_key(const K& key) {
    if constexpr (kTransparent || std::is_same_v<K, Key>)
      return (key);
    else
      return Key(key);
  }

  template <class Fn>
  static Value call(Fn& fn) {
    if constexpr (std::is_void_v<std::invoke_result_t<Fn&>>) {
      static_assert(std::is_same_v<Value, std::monostate>, "fn returns void");
      std::invoke(fn);
      return {};
    } else {
      return std::invoke(fn);
    }
  }

  static Outcome follow(const typename Table::EntryPtr& entry, TimePoint deadline,
                        bool shared = true) {
    if (!entry->over() && entry->pilot.load() == std::this_thread::get_id())
      return {FlightError::recursive, shared};
    entry->wait_until(deadline);
    return flight::outcome_of(entry, shared, FlightError::deadline);
  }

  template <class Fn>
  struct Task {
    typename flight::Launch<Table>::Passenger passenger;
    typename Table::EntryPtr entry;
    Fn fn;

    void fly() {
      entry->pilot.store(std::this_thread::get_id());
      try {
        passenger.pilot().land(call(fn));
      } catch (...) {
        passenger.pilot().fail(std::current_exception());
      }
    }
  };

  template <class Executor, class Fn>
  void launch(const typename Table::EntryPtr& entry, Executor& executor, Fn fn) {
    flight::Pilot<Table> ours(*table_, entry);
    flight::Launch<Table> launch(*table_, entry);
    try {
      // Shared, since many a pool wants what it runs to be copyable.
      auto task =
          std::make_shared<Task<Fn>>(Task<Fn>{launch.passenger(table_), entry, std::move(fn)});
      executor.execute([task = std::move(task)] { task->fly(); });
    } catch (...) {
      ours.release();
      launch.failed(std::current_exception());
      return;
    }
    ours.release();
    launch.launched();
  }

  const std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace tanggul
