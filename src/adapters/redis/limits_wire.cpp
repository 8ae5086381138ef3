#include "adapters/redis/limits_wire.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"

namespace tanggul::redis {
namespace {

using ports::AttemptLeave;
using ports::AttemptSample;
using ports::BreakerView;

std::chrono::microseconds us(std::int64_t n) {
  // Far from where nanoseconds overflow.
  return std::chrono::microseconds(std::clamp<std::int64_t>(n, 0, INT64_MAX / 2000));
}

std::vector<std::string> keys_of(const Keys& keys, const std::string& origin,
                                 const std::string& credential) {
  return {keys.limit(origin, "breaker"), keys.limit(origin, "rate"),
          keys.limit(origin, "places"),  keys.limit(origin, "day"),
          keys.limit(origin, "pause"),   keys.credential_pause(origin, credential),
          keys.limit(origin, "waiting"), keys.limit(origin, "resting")};
}

// As policy::Breaker makes its configuration sane.
std::vector<std::string> arguments(const Keys& keys, const ports::SharedRules& r,
                                   const std::string& origin, const std::string& place,
                                   const std::string& jitter, const std::string& now) {
  return {now,
          jitter,
          place,
          origin,
          keys.channel("breaker"),
          r.breaker ? "1" : "0",
          in_us(r.window),
          std::to_string(std::max(r.min_requests, 1)),
          in_digits(r.failure_ratio),
          in_us(r.open_for),
          in_us(std::max(r.max_open, r.open_for)),
          std::to_string(std::max(r.probes, 1)),
          in_us(std::max<Duration>(r.probe_lease, 1ms))};
}

bool take_number(std::string_view& rest, std::int64_t& out) {
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != ' ') return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  return true;
}

BreakerView view_of(const std::int64_t (&n)[5]) {
  BreakerView view;
  view.state = n[0] == 2   ? BreakerView::State::open
               : n[0] == 1 ? BreakerView::State::half_open
                           : BreakerView::State::closed;
  view.until = us(n[1]);
  view.probing = n[2] != 0;
  view.failed_rounds = static_cast<int>(std::clamp<std::int64_t>(n[3], 0, INT32_MAX));
  view.generation = static_cast<std::uint64_t>(std::max<std::int64_t>(n[4], 0));
  return view;
}

std::string_view name(AttemptSample sample) {
  switch (sample) {
    case AttemptSample::success:
      return "success";
    case AttemptSample::failure:
      return "failure";
    case AttemptSample::ignored:
      break;
  }
  return "ignored";
}

}  // namespace

std::string in_digits(double d) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, d).ptr;
  return {text, end};
}

std::string in_us(Duration d) {
  return std::to_string(std::chrono::floor<std::chrono::microseconds>(d).count());
}

Call ask_call(const Keys& keys, const ports::AttemptAsk& ask, const std::string& place,
              const std::string& jitter, const std::string& now) {
  const ports::SharedRules& r = ask.rules;
  Call call{keys_of(keys, ask.origin, ask.credential),
            arguments(keys, r, ask.origin, place, jitter, now)};
  for (std::string more : {std::to_string(r.concurrency), in_us(ports::SharedLimits::kPlaceLives),
                           in_digits(r.rate), in_digits(r.burst), std::to_string(r.daily),
                           in_us(std::max<Duration>(ask.may_wait, Duration::zero()))})
    call.args.push_back(std::move(more));
  return call;
}

Call finish_call(const Keys& keys, const ports::AttemptEnd& end, const std::string& jitter,
                 const std::string& now) {
  Call call{keys_of(keys, end.origin, end.credential),
            arguments(keys, end.rules, end.origin, end.place, jitter, now)};
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(
      std::clamp<Duration>(end.pause, Duration::zero(), 24h * 365));
  for (std::string more : {std::to_string(end.generation), std::string(end.probe ? "1" : "0"),
                           std::string(name(end.sample)), std::to_string(pause.count()),
                           keys.channel("pause"), end.credential, keys.channel("places")})
    call.args.push_back(std::move(more));
  return call;
}

AttemptLeave leave_in(Reply& reply, bool breaker) {
  using Kind = AttemptLeave::Kind;
  constexpr Kind kKinds[] = {Kind::go, Kind::open, Kind::full, Kind::paused, Kind::used_up};
  AttemptLeave leave;
  const std::int64_t kind = reply.integer(0);
  if (reply.items.size() < 3 || kind < 0 || kind >= std::ssize(kKinds)) return leave;
  leave.kind = kKinds[kind];
  leave.wait = us(reply.integer(1));
  leave.probe = reply.integer(2) == 1;
  if (!breaker) return leave;
  std::int64_t n[5];
  for (std::size_t i = 0; i < 5; ++i) n[i] = reply.integer(3 + i);
  leave.breaker = view_of(n);
  leave.generation = leave.breaker.generation;
  return leave;
}

bool read_breaker(std::string_view message, std::string& origin, BreakerView& view) {
  std::int64_t n[5];
  for (std::int64_t& one : n)
    if (!take_number(message, one)) return false;
  view = view_of(n);
  origin = message;
  return true;
}

bool read_pause(std::string_view message, std::string& origin, std::string& credential,
                Duration& pause) {
  std::int64_t ms = 0, length = 0;
  if (!take_number(message, ms) || !take_number(message, length)) return false;
  if (ms < 0 || length < 0 || static_cast<std::size_t>(length) > message.size()) return false;
  pause = us(std::min<std::int64_t>(ms, 1'000'000'000'000) * 1000);
  credential = message.substr(0, static_cast<std::size_t>(length));
  origin = message.substr(static_cast<std::size_t>(length));
  return true;
}

}  // namespace tanggul::redis
