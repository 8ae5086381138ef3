#include "shield/admission.h"

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
    if (pass.ticket.probe) break;
    // Asked again after the queue: the breaker may have opened meanwhile, and only now is the
    // ticket of a half-open probe worth taking.
    const auto admission = up_.admit(now, rng);
    pass.ticket = admission.ticket;
    if (admission.admitted) break;
    if (!job_.may_hold) {
      why = is_open(admission.retry_at);
      co_return false;
    }
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

void Admission::give_back(Pass& pass) {
  pass.ticket = {};
  pass.place.reset();
  pass.running.go();
}

}  // namespace tanggul::shield
