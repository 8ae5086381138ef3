#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cache/entry.h"
#include "ports/origin.h"
#include "shield/flight_sink.h"
#include "tanggul/base/clock.h"
#include "tanggul/policy/breaker.h"

namespace tanggul::shield {

// How one attempt at the origin ended, and what may follow from it.
struct Attempted {
  enum class Kind {
    answered,  // a response to deliver
    failed,    // `failure`, which another attempt may mend when `retryable`
    refused,   // breaker, limit, pause: nothing was sent
  };
  Kind kind = Kind::failed;
  cache::Failure failure;
  bool retryable = false;
  bool deliverable = false;  // failed, but if nothing better comes its response goes out as it is
  bool at_once = false;      // a dead pooled connection: no sleep before the next
  std::optional<Duration> wait;  // what the origin's Retry-After asks for
};

// `pass`: the request is passed through, and so is whatever the origin says to it.
Attempted judge_attempt(const ports::FetchEnd& end, FlightSink& sink, bool pass);

// What an attempt tells of the origin's health: 5xx, transport failures and time-outs are bad, 4xx
// are not; what we, the client or a dead pooled connection broke off tells nothing.
policy::BreakerSample sample_of(const Attempted& attempted, const FlightSink& sink);

bool origins_fault(Errc code) noexcept;
// Whether it is remembered, and told to other nodes: not what one caller, one node or its limits
// brought about.
bool is_remembered(Errc code) noexcept;

cache::Failure failure_of(Errc code, std::string title, std::string detail);
std::string_view title_of(Errc code) noexcept;

// The label `code` of tanggul_origin_requests_total.
std::string_view code_label(Errc code) noexcept;
std::string_view code_label(int status) noexcept;

}  // namespace tanggul::shield
