#include "shield/gate.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "http/prefer.h"
#include "shield/deliver.h"
#include "shield/fetch.h"
#include "shield/request_headers.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/negative.h"

namespace tanggul::shield {
namespace {

constexpr std::string_view kPath = "/.tanggul/gate/";
constexpr Duration kKeepAlive = 15s;  // a comment, so that nobody between takes us for dead
constexpr Duration kBetweenProbes = 1s;
constexpr Duration kToFindOut = 1s;  // before the first word on an origin that nothing is known of
constexpr std::chrono::seconds kLongestWait = 24h;

// When it is worth asking again, while it does not serve.
MonoTime back_at(const OriginState& state, MonoTime now) {
  return std::max(state.next_probe(now), state.paused_until("", now).value_or(now));
}

std::string describe(const OriginState& state, bool serving, MonoTime now) {
  const auto error = state.last_error();
  boost::json::object out{{"origin", state.metrics().origin},
                          {"serving", serving},
                          {"breaker", policy::name(state.breaker_state(now))}};
  if (state.breaker_since() != MonoTime{})
    out["since_seconds"] = seconds(now - state.breaker_since());
  if (!serving) {
    out["next_try_seconds"] = seconds(back_at(state, now) - now);
    if (!error.text.empty()) out["last_error"] = error.text;
  }
  return boost::json::serialize(out);
}

}  // namespace

// One client at the gate of one origin: is woken when that changes, and sees to it that somebody
// finds out.
class Gate::Visit {
 public:
  Visit(Gate& gate, UpstreamPtr upstream, async::WaiterPtr waiter)
      : gate_(gate), up_(std::move(upstream)), waiter_(std::move(waiter)) {
    up_->state().watch(waiter_);
  }
  ~Visit() {
    up_->state().unwatch(waiter_);
    leave_probe();
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  OriginState& state() const { return up_->state(); }
  enum class Known { serves, fails, unknown };
  Known known(MonoTime now) {
    const bool open = state().breaker_state(now) == policy::BreakerState::closed &&
                      !state().paused_until("", now);
    // Once it is known to serve, the breaker's word is enough: one request that fails among those
    // of the day does not send all who wait back to the end, and nobody is asked again.
    const auto well = open && !sure_ ? state().did_well(now) : std::nullopt;
    sure_ = open && (sure_ || well == true);
    if (sure_) return Known::serves;
    return !open || well == false ? Known::fails : Known::unknown;
  }
  bool serving(MonoTime now) { return known(now) == Known::serves; }
  // Also when the configuration names the origin no longer.
  bool over() const { return waiter_->closed() || gate_.shield_.draining() || !named_now(); }

  // Until something changes, `latest` at the latest.
  Task<void> wait(MonoTime latest) {
    const MonoTime now = MonoClock::now();
    MonoTime until = latest;
    if (serving(now)) {
      leave_probe();
    } else {
      // The end of a pause is told by nobody, and the next probe may have to be ours.
      keep_probing(now);
      until = std::min(until, std::max(back_at(state(), now), now + kBetweenProbes));
    }
    co_await waiter_->wait_until(until);
  }

 private:
  // The origin as it is configured now: a visit may outlast many reloads.
  UpstreamPtr named_now() const { return gate_.shield_.routes()->find(up_->config().name); }

  void keep_probing(MonoTime now) {
    if (probe_ && probe_->finished()) leave_probe();
    if (!probe_ && now >= next_probe_ && !state().paused_until("", now)) {
      next_probe_ = now + kBetweenProbes;
      if (const UpstreamPtr up = named_now()) probe_ = gate_.join_probe(up);
    }
    if (!probe_) return;
    const auto view = probe_->view();
    if (!probe_->watch(view, waiter_)) waiter_->wake();
  }

  void leave_probe() {
    if (!probe_) return;
    probe_->unwatch(waiter_);
    probe_->detach();
    probe_.reset();
  }

  Gate& gate_;
  UpstreamPtr up_;
  async::WaiterPtr waiter_;
  cache::FlightPtr probe_;  // attached
  MonoTime next_probe_;
  bool sure_ = false;
};

// The flight that asks the origin for all who wait, started if there is none.
cache::FlightPtr Gate::join_probe(const UpstreamPtr& upstream) {
  const OriginConfig& config = upstream->config();
  auto joined = shield_.flights().join(
      "\x1f"
      "gate"
      "\x1f" +
          config.name,
      shield_.spool_directory());
  if (!joined.leader) return joined.flight;
  static const http::RequestHead kNobodys;
  FetchJob job;
  job.flight = joined.flight;
  job.upstream = upstream;
  job.method = "HEAD";
  job.plan.target = config.probe.empty() ? config.kind->probe_target() : config.probe;
  job.what.way = registry::Classified::Way::cached;
  job.what.pattern = upstream->patterns().size() - 1;
  job.headers = own_headers(kNobodys, config);
  job.solo = true;  // of no use to anybody but those who wait for its end
  job.in_table = true;
  job.may_hold = true;
  job.deadline = MonoClock::now() + config.deadline;
  start_fetch(shield_, outside_, executor_, "gate", std::move(job));
  return joined.flight;
}

class Gate::Events final : public ports::BodySource {
 public:
  Events(Gate& gate, UpstreamPtr upstream, async::WaiterPtr waiter)
      : visit_(gate, std::move(upstream), std::move(waiter)) {}

  Task<Result<ports::BodyPiece>> next(const async::WaiterPtr&) override {
    ports::BodyPiece piece;
    const MonoTime quiet_until = MonoClock::now() + kKeepAlive;
    while (!visit_.over()) {
      const MonoTime now = MonoClock::now();
      const auto breaker = visit_.state().breaker_state(now);
      const auto known = visit_.known(now);
      const bool serving = known == Visit::Known::serves;
      if (!told_ && known == Visit::Known::unknown && now < first_by_) {
        co_await visit_.wait(first_by_);
        continue;
      }
      if (!told_ || serving_ != serving || breaker_ != breaker) {
        told_ = true;
        serving_ = serving;
        breaker_ = breaker;
        text_ = "event: origin\ndata: " + describe(visit_.state(), serving, now) + "\n\n";
        piece.memory = text_;
        piece.size = text_.size();
        co_return piece;
      }
      if (now >= quiet_until) {
        text_ = ": still here\n\n";
        piece.memory = text_;
        piece.size = text_.size();
        co_return piece;
      }
      co_await visit_.wait(quiet_until);
    }
    co_return piece;  // the end
  }

 private:
  Visit visit_;
  const MonoTime first_by_ = MonoClock::now() + kToFindOut;
  bool told_ = false, serving_ = false;
  policy::BreakerState breaker_{};
  std::string text_;
};

namespace {

void reply_with_state(ports::Reply& reply, const OriginState& state, bool serving, MonoTime now) {
  auto owned = std::make_shared<std::pair<std::string, std::string>>();
  auto& [head, body] = *owned;
  body = describe(state, serving, now) + "\n";
  head = serving ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 503 Service Unavailable\r\n";
  head += "Content-Type: application/json\r\nCache-Control: no-store\r\n";
  head.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  if (!serving) {
    const Duration wait = policy::retry_after(back_at(state, now) - now, thread_rng());
    const auto whole =
        std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
    head.append("Retry-After: ").append(std::to_string(whole)).append("\r\n");
  }
  reply.status = serving ? 200 : 503;
  reply.head = head;
  reply.body = body;
  reply.owner = std::move(owned);
}

bool wants_events(const http::RequestHead& head) {
  return head.joined("accept").find("text/event-stream") != std::string::npos;
}

}  // namespace

Task<void> Gate::answer(ports::Call& call, ports::Reply& reply) {
  const std::string_view path = call.head.target.substr(0, call.head.target.find('?'));
  const RoutesPtr routes = shield_.routes();
  const UpstreamPtr up =
      path.starts_with(kPath) ? routes->find(path.substr(kPath.size())) : UpstreamPtr();
  reply.result = name(Outcome::pass);
  Provenance how;
  how.outcome = Outcome::error;
  if (!up) {
    std::string known = path.starts_with(kPath) ? "origins:" : "mounts:";
    for (const auto& u : routes->upstreams)
      known.append(" ").append(path.starts_with(kPath) ? u->config().name
                                                       : u->config().written_mount());
    deliver_problem(reply, 404, path.starts_with(kPath) ? "unknown-origin" : "unknown-mount",
                    "There is no such thing here", known, "", Duration::zero(), how);
    co_return;
  }
  reply.origin = up->metrics().origin;
  if (call.head.method != "GET" && call.head.method != "HEAD") {
    deliver_problem(reply, 405, "method", "The gate is only asked", "use GET", reply.origin,
                    Duration::zero(), how);
    co_return;
  }
  if (wants_events(call.head)) {
    static const std::string kHead =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Accel-Buffering: no\r\n";
    reply.status = 200;
    reply.head = kHead;
    if (call.head.method == "GET") reply.stream = std::make_unique<Events>(*this, up, call.waiter);
    reply.head_only = call.head.method == "HEAD";
    co_return;
  }
  const MonoTime begun = MonoClock::now();
  MonoTime latest = begun;
  if (const auto wait = http::prefer_wait(call.head)) {
    latest += std::min(*wait, kLongestWait);
    reply.lines.append("Preference-Applied: wait=");
    reply.lines.append(std::to_string(std::min(*wait, kLongestWait).count())).append("\r\n");
  }
  Visit visit(*this, up, call.waiter);
  for (MonoTime now = begun; !visit.over(); now = MonoClock::now()) {
    const auto known = visit.known(now);
    const MonoTime until =
        known == Visit::Known::unknown ? std::max(latest, begun + kToFindOut) : latest;
    if (known == Visit::Known::serves || now >= until) break;
    co_await visit.wait(until);
  }
  const MonoTime now = MonoClock::now();
  reply_with_state(reply, up->state(), visit.serving(now), now);
}

}  // namespace tanggul::shield
