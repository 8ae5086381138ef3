#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>

#include "tanggul/base/clock.h"

namespace tanggul {

enum class ReadStatus : std::uint8_t { value, absent, error };

// How a reading was come by.
enum class ReadHow : std::uint8_t {
  hit,        // remembered and fresh
  stale,      // remembered and past its time: a refresh runs, or the load failed
  negative,   // an absence, or a failure, that is remembered
  miss,       // this call's load
  coalesced,  // somebody else's load, which this call waited for
};

enum class ReadError : std::uint8_t {
  none,
  deadline,   // the caller's time was over; the load goes on
  cancelled,  // the caller was cancelled; the load goes on
  failed,     // the loader threw: `failure`
  too_slow,   // the loader did not end by its own deadline, and was cancelled
  open,       // the breaker keeps loads away
  limit,      // the limits, or the queue before them, are used up
  abandoned,  // the executor of the loads went away
};

std::string_view constexpr name(ReadHow how) noexcept {
  constexpr std::string_view kNames[] = {"hit", "stale", "negative", "miss", "coalesced"};
  return kNames[static_cast<std::size_t>(how)];
}
std::string_view constexpr name(ReadError error) noexcept {
  constexpr std::string_view kNames[] = {"none",     "deadline", "cancelled", "failed",
                                         "too_slow", "open",     "limit",     "abandoned"};
  return kNames[static_cast<std::size_t>(error)];
}

// What ReadThrough::get() brings. A plain value: copy it, keep it.
template <class Value>
struct Reading {
  ReadStatus status = ReadStatus::error;
  ReadHow how = ReadHow::miss;
  // Another call's load paid for it; false for the call that started the load, and for whatever is
  // remembered. (SingleFlight says the same; HTTP's X-Cache-Coalesced.)
  bool shared = false;
  std::shared_ptr<const Value> value;  // where status is value: immutable, shared by all

  // Where status is error; `error` also beside a stale value that stands in for a failed load.
  ReadError error = ReadError::none;
  std::exception_ptr failure;  // what the loader threw; null for other errors
  Duration retry_after{};      // worth asking again after so long; 0: nothing is known

  explicit operator bool() const noexcept { return status == ReadStatus::value; }
  const Value& operator*() const noexcept { return *value; }
  const Value* operator->() const noexcept { return value.get(); }
};

}  // namespace tanggul
