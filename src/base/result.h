#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>
#include <string_view>

namespace tanggul {

// Why something that the outside world did could not be finished. Expected outcomes (hit, stale,
// shed, follower …) are enums of their own and never appear here.
enum class Errc {
  refused = 1,         // the connection was refused, or there is no route or name
  connect_timeout,     // no connection within timeout.connect
  first_byte_timeout,  // no response head within timeout.first_byte
  stalled,             // nothing, or less than min_rate, within timeout.idle
  reset,               // the connection broke before the response head
  truncated,           // the body ended before its announced end
  bad_response,        // the peer does not speak HTTP, or its head is over our limits
  digest_mismatch,     // the body is not what its digest promised
  too_large,           // over max_object or max_body
  over_passthrough,    // a whole larger than range_passthrough, of which only a range is wanted
  breaker_open,
  paused,             // the origin asked for rest (429) and has not had it yet
  limit,              // no place within the limits
  deadline,           // the caller's own time is over
  cancelled,          // nobody wants the result any more
  redirect,           // a redirect that may not be followed
  forbidden_address,  // a public upstream led to a private address
  loop,               // the request has come through us before
  stale_connection,   // a pooled connection had died; nothing was sent twice
  io,                 // our own disk failed
  bad_input,          // the peer's request body or framing is broken
  internal,           // a fault of ours
};

const boost::system::error_category& errc_category() noexcept;

inline boost::system::error_code make_error_code(Errc e) noexcept {
  return {static_cast<int>(e), errc_category()};
}

// A short, stable word for logs, metrics and problem documents: "connect_timeout".
std::string_view name(Errc e) noexcept;

template <class T>
using Result = boost::system::result<T>;

}  // namespace tanggul

template <>
struct boost::system::is_error_code_enum<tanggul::Errc> : std::true_type {};
