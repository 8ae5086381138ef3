#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace tanggul {

// Why a caller of a flight has no value. What fn threw is no such error: it is thrown again.
enum class FlightError : std::uint8_t {
  deadline,   // the caller's own time was over; the flight may still land for others
  abandoned,  // whoever flew went away without an end: a destroyed frame, an executor that dropped
              // it
  cancelled,  // the caller itself was cancelled while it waited (awaitable forms)
  recursive,  // fn asked for its own key: it would have waited for itself
};

constexpr std::string_view name(FlightError error) noexcept {
  switch (error) {
    case FlightError::deadline:
      return "deadline";
    case FlightError::abandoned:
      return "abandoned";
    case FlightError::cancelled:
      return "cancelled";
    case FlightError::recursive:
      return "recursive";
  }
  return "?";
}

// What a flight brought to one of its callers: the value, which all of them share and none may
// change, or an error. It owns its part of the value: that lives as long as anybody holds it, with
// the key and the flight, whatever becomes of the table. Cheap to copy; as thread-safe as a
// std::shared_ptr.
template <class Value>
class FlightOutcome {
 public:
  FlightOutcome() noexcept =
      default;  // abandoned: completion handlers want one beside an exception
  FlightOutcome(std::shared_ptr<const Value> value, bool shared) noexcept
      : value_(std::move(value)), shared_(shared) {}
  FlightOutcome(FlightError error, bool shared) noexcept : error_(error), shared_(shared) {}

  bool has_value() const noexcept { return value_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }

  // Only where has_value().
  const Value& value() const noexcept { return *value_; }
  const Value& operator*() const noexcept { return *value_; }
  const Value* operator->() const noexcept { return value_.get(); }
  // Only where !has_value().
  FlightError error() const noexcept { return error_; }

  // Whether somebody else's call paid for it: false for the one that started the flight, true for
  // all others. So of N callers N - 1 are marked; Go's singleflight marks the first one as well.
  bool shared() const noexcept { return shared_; }

  // The value, to be kept without a copy; null where there is none.
  const std::shared_ptr<const Value>& handle() const noexcept { return value_; }

 private:
  std::shared_ptr<const Value> value_;
  FlightError error_ = FlightError::abandoned;
  bool shared_ = false;
};

}  // namespace tanggul
