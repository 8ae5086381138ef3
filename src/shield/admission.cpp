#include "shield/admission.h"

#include "shield/cluster.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/backoff.h"

namespace tanggul::shield {
namespace {

Attempted refused(Errc code, std::string_view why, MonoTime retry_at) {
  Attempted a;
  a.kind = Attempted::Kind::refused;
  a.failure = failure_of(code, std::string(why), std::string(why));
  a.failure.retry_at = retry_at;
  return a;
}

Attempted nobody_waits() { return refused(Errc::cancelled, "Nobody waits any more", {}); }
Attempted is_open(MonoTime retry_at) {
  return refused(Errc::breaker_open, "The circuit breaker is open", retry_at);
}

constexpr policy::BackoffConfig kPlacePolls{.base = 50ms, .cap = 1s};

// Hears of places that come free, as long as it lives.
class WatchedPlaces {
 public:
  WatchedPlaces(const Outside& outside, std::string origin, async::WaiterPtr waiter)
      : outside_(outside), origin_(std::move(origin)), waiter_(std::move(waiter)) {
    outside_.limits->watch_places(origin_, waiter_);
  }
  ~WatchedPlaces() {
    if (!outside_.cluster->ended()) outside_.limits->unwatch_places(origin_, waiter_);
  }
  WatchedPlaces(const WatchedPlaces&) = delete;
  WatchedPlaces& operator=(const WatchedPlaces&) = delete;

 private:
  const Outside outside_;  // outlasts the lane's, where its loop ends first
  const std::string origin_;
  const async::WaiterPtr waiter_;
};

}  // namespace

// Behind those that have been held nobody becomes the probe; once the breaker is closed who would
// not wait with them takes its turn in the line.
Admission::Breaker Admission::breaker(MonoTime now) const {
  if (!up_.must_wait(now)) return Breaker::closed;
  if (job_.may_hold) return Breaker::held;
  const bool closed = up_.breaker_state(now) == policy::BreakerState::closed;
  return closed ? Breaker::closed : Breaker::refused;
}

Task<bool> Admission::ask(Pass& pass, Attempted& why, Rng& rng) {
  ports::Cancellation& cancel = flight_.cancellation();
  cancel.bind(waiter_);
  const MonoTime began = MonoClock::now();
  for (;;) {
    give_back(pass);
    MonoTime now = MonoClock::now();
    if (const auto until = up_.paused_until(job_.credential, now)) {
      why = refused(Errc::paused, "The origin asked for a pause", *until);
      co_return false;
    }
    const Breaker now_is = breaker(now);
    if (now_is == Breaker::refused) {
      note_(Step::breaker, "open");
      why = is_open(up_.next_probe(now));
      co_return false;
    }
    if (now_is == Breaker::held) {
      const bool may_go = co_await hold(pass, rng);
      if (!may_go) {
        why = nobody_waits();
        co_return false;
      }
    }

    const auto from = pass.held ? LimitQueue::From::hold : LimitQueue::From::line;
    const auto place = co_await up_.limit().acquire(job_.client, waiter_, cancel, from);
    now = MonoClock::now();
    if (!place) {
      up_.record(pass.ticket, policy::BreakerSample::ignored, now, rng);
      note_(Step::limit, name(static_cast<Errc>(place.error().value())));
      why = place.error() == Errc::cancelled
                ? nobody_waits()
                : refused(Errc::limit, "The queue for the origin is full", now + 1s);
      co_return false;
    }
    pass.place.emplace(up_.limit());
    if (!pass.ticket.probe) {
      // Asked again after the queue: the breaker may have opened meanwhile, and only now is the
      // ticket of a half-open probe worth taking.
      const auto admission = up_.admit(now, rng);
      pass.ticket = admission.ticket;
      if (!admission.admitted && job_.may_hold) continue;
      if (!admission.admitted) {
        why = is_open(admission.retry_at);
        co_return false;
      }
    }
    const MonoTime give_up = began + job_.upstream->config().limit.queue_wait;
    const Leave leave = co_await ask_cluster(pass, why, give_up, *place);
    if (leave == Leave::go) break;
    up_.record(pass.ticket, policy::BreakerSample::ignored, MonoClock::now(), rng);
    if (leave == Leave::refused) co_return false;
  }
  note_(Step::breaker, pass.ticket.probe ? "probe" : "closed");
  co_return true;
}

// Waits with the others for the origin to come back. False: nobody waits any more.
Task<bool> Admission::hold(Pass& pass, Rng& rng) {
  note_(Step::breaker, "held");
  flight_.set_held(true);
  auto let_go = co_await up_.hold().wait(waiter_, job_.credential, flight_.cancellation(), rng);
  flight_.set_held(false);
  if (!let_go) co_return false;
  pass.held = true;
  pass.ticket = let_go->ticket;
  pass.running = std::move(let_go->running);
  co_return true;
}

// Whether the whole cluster may send one more. While as many run as may, it stands at the head of
// this node's line and asks again when a place has come free.
Task<Admission::Leave> Admission::ask_cluster(Pass& pass, Attempted& why, MonoTime give_up,
                                              LimitShare had_by) {
  if (!outside_.clustered()) co_return Leave::go;
  ports::AttemptAsk ask;
  ask.origin = up_.metrics().origin;
  ask.credential = job_.credential;
  ask.rules = shared_rules(job_.upstream->config());
  if (!any(ask.rules)) co_return Leave::go;
  if (pass.held) give_up = kForever;
  LimitQueue::Asking asking(up_.limit(), waiter_, had_by);
  std::optional<WatchedPlaces> watched;
  ports::Patience patience(job_.patience);
  for (int polls = 0;; ++polls) {
    const MonoTime now = MonoClock::now();
    ask.may_wait = give_up == kForever ? Duration(24h) : give_up - now;
    ports::AttemptLeave leave = co_await outside_.limits->ask(ask, patience);
    if (polls == 0) job_.patience = patience.left();
    if (leave.kind == ports::AttemptLeave::Kind::unavailable)
      go_by_part(leave, asking, ask.may_wait);
    else if (ask.rules.breaker)
      up_.adopt(leave.breaker, MonoClock::now(), true);
    if (leave.kind != ports::AttemptLeave::Kind::full) {
      const Leave then = take(leave, pass, why);
      if (then == Leave::go) asking.go();
      if (then != Leave::go || leave.wait <= Duration::zero()) co_return then;
      co_return co_await wait_for_rate(leave.wait, why);
    }
    if (flight_.cancellation().cancelled()) {
      why = nobody_waits();
      co_return Leave::refused;
    }
    if (MonoClock::now() >= give_up) {
      note_(Step::limit, "full");
      why = refused(Errc::limit, "The queue for the origin is full", MonoClock::now() + 1s);
      co_return Leave::refused;
    }
    if (!watched) {  // and asks once more: a place may have come free meanwhile
      watched.emplace(outside_, ask.origin, waiter_);
      continue;
    }
    const Duration pause = policy::full_jitter(kPlacePolls, polls, thread_rng()) + 20ms;
    co_await waiter_->wait_until(std::min(give_up, MonoClock::now() + pause));
    patience = ports::Patience();  // the wait was for a place, and the store has answered
  }
}

// Nobody to ask: what each node may by itself adds up to what all may.
void Admission::go_by_part(ports::AttemptLeave& leave, LimitQueue::Asking& asking,
                           Duration may_wait) const {
  if (!job_.upstream->config().limit_shared) return;
  const LimitQueue::Part part = up_.limit().part(asking, MonoClock::now(), may_wait);
  if (part.full) leave.kind = ports::AttemptLeave::Kind::full;
  if (!part.full && !part.delay) leave.kind = ports::AttemptLeave::Kind::used_up;
  leave.wait = part.delay.value_or(Duration::zero());
}

Admission::Leave Admission::take(const ports::AttemptLeave& leave, Pass& pass, Attempted& why) {
  using Kind = ports::AttemptLeave::Kind;
  const MonoTime now = MonoClock::now();
  const OriginConfig& config = job_.upstream->config();
  switch (leave.kind) {
    case Kind::go:
      pass.shared = std::make_unique<SharedPlace>(
          outside_, ports::AttemptEnd{up_.metrics().origin, leave.place, shared_rules(config),
                                      leave.generation, leave.probe});
      return Leave::go;
    case Kind::unavailable:
      return Leave::go;
    case Kind::open:
      note_(Step::breaker, "open");
      if (job_.may_hold) return Leave::again;
      why = is_open(now + leave.wait);
      return Leave::refused;
    case Kind::paused:
      up_.pause(job_.credential, now + leave.wait);
      why = refused(Errc::paused, "The origin asked for a pause", now + leave.wait);
      return Leave::refused;
    case Kind::full:
    case Kind::used_up:
      break;
  }
  note_(Step::limit, "limit");
  why = refused(Errc::limit, "The limits of the origin are used up",
                now + std::max<Duration>(1s, leave.wait));
  return Leave::refused;
}

Task<Admission::Leave> Admission::wait_for_rate(Duration wait, Attempted& why) {
  const MonoTime go = MonoClock::now() + wait;
  while (MonoClock::now() < go && !flight_.cancellation().cancelled())
    co_await waiter_->wait_until(go);
  if (!flight_.cancellation().cancelled()) co_return Leave::go;
  why = nobody_waits();
  co_return Leave::refused;
}

void Admission::give_back(Pass& pass) {
  pass.ticket = {};
  pass.shared.reset();
  pass.place.reset();
  pass.running.go();
}

}  // namespace tanggul::shield
