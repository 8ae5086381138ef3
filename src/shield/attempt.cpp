#include "shield/attempt.h"

#include "http/retry_after.h"

namespace tanggul::shield {
namespace {

// Late is 504, held back by us 503, our own fault 500.
int status_of(Errc code) noexcept {
  switch (code) {
    case Errc::connect_timeout:
    case Errc::first_byte_timeout:
    case Errc::stalled:
      return 504;
    case Errc::breaker_open:
    case Errc::limit:
    case Errc::io:  // no file, no room: ours, and it may pass
      return 503;
    case Errc::paused:
      return 429;
    case Errc::internal:
      return 500;
    case Errc::bad_input:
      return 400;
    default:
      return 502;
  }
}

}  // namespace

// Whether the failure is the origin's, and not ours, the client's or a dead pooled connection's.
bool origins_fault(Errc code) noexcept {
  switch (code) {
    case Errc::cancelled:
    case Errc::too_large:
    case Errc::over_passthrough:
    case Errc::io:
    case Errc::redirect:
    case Errc::forbidden_address:
    case Errc::bad_input:
    case Errc::stale_connection:
    case Errc::limit:  // no connection was free
      return false;
    default:
      return true;
  }
}

bool is_remembered(Errc code) noexcept {
  switch (code) {
    case Errc::breaker_open:
    case Errc::limit:
    case Errc::paused:
    case Errc::internal:
    case Errc::loop:
    case Errc::deadline:
      return false;
    case Errc::too_large:
    case Errc::stale_connection:
      return true;
    default:
      return origins_fault(code);
  }
}

namespace {

// Whether another attempt might go better. Not after a stall: it has used up the idle time already,
// and an origin that drips would hold flight, place and callers for as long again.
bool worth_retrying(Errc code) noexcept {
  if (code == Errc::stale_connection) return true;
  return origins_fault(code) && code != Errc::digest_mismatch && code != Errc::stalled;
}

constexpr Duration kUntilAnotherIsFree = 1s;

Attempted broken(Errc code, std::string detail, const FlightSink& sink) {
  Attempted a;
  if (code == Errc::too_large && sink.refusal()) detail = "it is over max_object";
  if (code == Errc::bad_response && sink.refusal()) detail = "its status is none of HTTP's";
  a.failure = failure_of(code, "", std::move(detail));
  if (code == Errc::limit) a.failure.retry_at = MonoClock::now() + kUntilAnotherIsFree;
  a.retryable = worth_retrying(code) && !sink.exposed();
  a.at_once = code == Errc::stale_connection;
  // Not the answer but the client's own body was too large.
  if (code == Errc::too_large && !sink.refusal()) a.failure.status = 413;
  return a;
}

// A failure that the origin itself reports.
Attempted reported(const FlightSink& sink, bool pass) {
  constexpr Duration kPauseWithoutRetryAfter = 1s;
  Attempted a;
  if (const auto asked = sink.headers().find("retry-after"))
    a.wait = http::parse_retry_after(*asked, wall_now());
  const std::string said = std::to_string(sink.status()) + " from the origin";
  if (sink.status() == 429) {
    a.failure = failure_of(Errc::paused, "The origin asked for a pause", said);
    a.failure.retry_at = MonoClock::now() + a.wait.value_or(kPauseWithoutRetryAfter);
  } else {
    a.failure = failure_of(Errc::reset, "The origin failed", said);
    a.failure.status = sink.status();
    a.failure.from_origin = true;
    // A failure that its origin gives a lifetime is an answer: asking again brings the same.
    const bool lasts = sink.lifetime().storable && sink.lifetime().explicit_freshness;
    a.retryable = FlightSink::retryable_status(sink.status()) && !sink.exposed() && !lasts;
    a.deliverable = sink.body_kept();
  }
  if (pass || sink.exposed()) a.kind = Attempted::Kind::answered;
  return a;
}

}  // namespace

Attempted judge_attempt(const ports::FetchEnd& end, FlightSink& sink, bool pass) {
  if (sink.refusal()) return broken(*sink.refusal(), end.detail, sink);
  if (end.error) return broken(*end.error, end.detail, sink);
  if (!sink.digest_fits())
    return broken(Errc::digest_mismatch, "the body does not have the digest it should", sink);
  if (sink.status() == 429 || sink.status() >= 500) return reported(sink, pass);
  Attempted a;
  a.kind = Attempted::Kind::answered;
  return a;
}

policy::BreakerSample sample_of(const Attempted& attempted, const FlightSink& sink) {
  using policy::BreakerSample;
  const Errc code = attempted.failure.code;
  const bool answered = attempted.kind == Attempted::Kind::answered;
  if (sink.has_head() && sink.status() >= 500) return BreakerSample::failure;
  if (answered || sink.status() == 429) return BreakerSample::success;
  return origins_fault(code) ? BreakerSample::failure : BreakerSample::ignored;
}

cache::Failure failure_of(Errc code, std::string title, std::string detail) {
  cache::Failure f;
  f.code = code;
  f.status = status_of(code);
  f.title = title.empty() ? std::string(title_of(code)) : std::move(title);
  f.detail = std::move(detail);
  return f;
}

std::string_view title_of(Errc code) noexcept {
  if (status_of(code) == 504) return "The origin did not answer in time";
  switch (code) {
    case Errc::truncated:
      return "The origin's answer was cut short";
    case Errc::digest_mismatch:
      return "The origin's answer is corrupt";
    case Errc::too_large:
      return "The body is too large";
    case Errc::bad_input:
      return "The request's body is broken";
    case Errc::limit:
      return "No connection to the origin was free";
    case Errc::io:
      return "The shield is short of files or room";
    default:
      return "The origin cannot be reached";
  }
}

std::string_view code_label(Errc code) noexcept {
  switch (code) {
    case Errc::refused:
    case Errc::connect_timeout:
    case Errc::forbidden_address:
      return "connect";
    case Errc::first_byte_timeout:
    case Errc::stalled:
      return "timeout";
    case Errc::truncated:
    case Errc::digest_mismatch:
      return "truncated";
    default:
      return "reset";
  }
}

std::string_view code_label(int status) noexcept {
  if (status == 429) return "429";
  if (status >= 500) return "5xx";
  if (status >= 400) return "4xx";
  return status >= 300 ? "3xx" : "2xx";
}

}  // namespace tanggul::shield
