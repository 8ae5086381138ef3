// The waiting end of a flight: what a caller does until its answer is there, and what it then gets.
#include <algorithm>

#include "http/vary.h"
#include "shield/attempt.h"
#include "shield/parts.h"
#include "shield/pipeline.h"
#include "shield/request_headers.h"
#include "shield/written.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/negative.h"

namespace tanggul::shield {

// One caller's time while its flight is held. What it spends there does not count for its deadline,
// unless it has named both itself.
class Pipeline::Held {
 public:
  explicit Held(Walk& w) : w_(w) {}

  // How long to wait for a change while held; nullopt: not at all, or no longer. Whoever has
  // something stale to give is not held.
  std::optional<MonoTime> until() {
    const MonoTime now = MonoClock::now();
    if (w_.stored && !w_.stored->negative &&
        policy::stale_if_error_allowed(w_.stored->times, w_.asked, w_.now.wall))
      return std::nullopt;
    OriginState& state = w_.upstream->state();
    if (!since_) {
      if (now >= w_.hold_until) return std::nullopt;
      since_ = now;
      seat_ = state.waiting().enter(std::string(w_.call.client), w_.call.waiter);
    }
    if (!seat_.holds()) return std::nullopt;
    if (now < w_.hold_until) return w_.hold_until;
    // Its time is over, but the herd is being let go already and its turn will come.
    const bool serving =
        state.breaker_state(now) == policy::BreakerState::closed && !state.paused_until("", now);
    const MonoTime latest =
        w_.prefers ? w_.deadline : w_.hold_until + w_.upstream->config().deadline;
    if (!serving || now >= latest) return std::nullopt;
    return std::min(latest, now + kLookAgain);
  }

  // Held no longer, or never: the caller's deadline.
  MonoTime over() {
    if (since_ && !w_.prefers && w_.deadline != kForever) w_.deadline += MonoClock::now() - *since_;
    since_.reset();
    seat_.leave();
    return w_.deadline;
  }

 private:
  static constexpr Duration kLookAgain = 1s;

  Walk& w_;
  std::optional<MonoTime> since_;
  WaitingRoom::Seat seat_;
};

// Held or refused while the origin is down, and told the difference by its own patience.
bool Pipeline::would_hold(const Walk& w) const {
  const MonoTime now = MonoClock::now();
  return w.hold_until > now && w.upstream->config().hold.max > 0 &&
         w.upstream->state().must_wait(now);
}

// Interim responses go to the request that has started the fetch.
void Pipeline::take_interims(Walk& w, FetchJob& job) {
  w.interims.reset();
  if (w.call.interim == nullptr) return;
  job.interims = w.interims = std::make_shared<Interims>(w.call.waiter);
}

Task<void> Pipeline::pass_interims(Walk& w) {
  while (w.interims && !w.interims->empty() && !w.call.waiter->closed())
    co_await w.call.interim->write_interim(w.interims->take());
}

Task<Pipeline::Followed> Pipeline::follow(Walk& w, cache::FlightPtr flight, bool leader,
                                          bool let_go) {
  using Phase = cache::Flight::Phase;
  const async::WaiterPtr waiter = w.call.waiter;
  const cache::WatchScope scope(*flight, waiter);
  {
    Held held(w);
    cache::Flight::Glance seen = flight->glance();
    while (seen.phase == Phase::fetching && !waiter->closed()) {
      const std::optional<MonoTime> until = seen.held ? held.until() : held.over();
      w.unheld = !until;
      if (!until || MonoClock::now() >= *until) break;
      if (flight->watch(seen, waiter)) co_await waiter->wait_until(*until);
      if (leader) co_await pass_interims(w);
      seen = flight->glance();
    }
    if (leader) co_await pass_interims(w);
  }
  co_return answer_from(w, flight, leader, let_go);
}

// What the flight has by now, as this caller may have it.
Pipeline::Followed Pipeline::answer_from(Walk& w, const cache::FlightPtr& flight, bool leader,
                                         bool let_go) {
  using Phase = cache::Flight::Phase;
  const async::WaiterPtr& waiter = w.call.waiter;
  const cache::Flight::View view = flight->view();
  // Also if it has been let go in the moment in which this caller's patience was over.
  const bool unheld = view.phase == Phase::fetching && (view.held || w.unheld);
  if (leader) w.flight_trace = flight->trace();
  w.now = Now::take();
  Provenance how;
  how.forward = forward_reason(w);
  // By another request's, or by another node's.
  const bool borrowed = flight->borrowed();
  how.coalesced = !leader || borrowed;
  how.let_go = let_go;
  how.outcome = how.coalesced ? Outcome::coalesced : Outcome::miss;
  if (borrowed) how.detail = "lease-follow";
  if (w.what.way == registry::Classified::Way::pass) how.outcome = Outcome::pass;
  // Asked for by a flight whose leader would not wait: this caller would.
  bool again = view.phase == Phase::failed && !leader && view.failure->code == Errc::breaker_open &&
               would_hold(w);
  // Turned out too large for a range: whoever wants one asks for that, the others for the whole.
  again |= view.phase == Phase::failed && view.failure->code == Errc::over_passthrough;
  again |= is_too_large_to_wait_for(w, view);
  if (waiter->closed()) {
    w.reply.result = name(Outcome::aborted);
  } else if (again) {
    flight->detach();
    return Followed::again;
  } else if (unheld) {
    deliver_unheld(w, how);
  } else if (view.phase == Phase::fetching) {
    how.outcome = Outcome::error;
    how.detail = "deadline";
    how.coalesced = false;
    deliver_problem(w.reply, 504, "deadline", "Not ready within the time you gave",
                    "the fetch goes on; ask again", w.reply.origin,
                    policy::retry_after(1s, thread_rng()), how);
  } else if (view.phase == Phase::failed) {
    deliver_failed(w, *view.failure, how);
  } else if (!may_have(w, view, leader, !let_go && !w.solo)) {
    flight->detach();
    return Followed::not_ours;
  } else {
    if (w.what.way == registry::Classified::Way::pass) outdate_written(w, view);
    deliver(w, flight, view, how);
    return Followed::answered;  // deliver() has passed the attachment on
  }
  flight->detach();
  return Followed::answered;
}

bool Pipeline::is_alike(const Walk& w, const cache::Sharing& sharing, bool leader) const {
  return leader || sharing.alike.empty() ||
         http::vary_values(sharing.alike, w.call.head) == sharing.alike_values;
}

bool Pipeline::may_have(const Walk& w, const cache::Flight::View& view, bool leader,
                        bool shared) const {
  if (!view.sharing || !shared || w.what.way == registry::Classified::Way::pass) return true;
  // Not to be shared: it is the leader's, unless something of its request was kept back that might
  // have brought it another answer.
  if (!view.sharing->shareable) return leader && !withheld(w.call.head, w.upstream->config());
  return is_alike(w, *view.sharing, leader) &&
         (view.sharing->vary.empty() ||
          http::vary_values(view.sharing->vary, w.call.head) == view.sharing->vary_values);
}

void Pipeline::deliver(Walk& w, const cache::FlightPtr& flight, const cache::Flight::View& view,
                       Provenance how) {
  if (how.coalesced) w.upstream->patterns()[w.what.pattern].shared->add();
  if (view.phase == cache::Flight::Phase::landed && flight->whole()) {
    how.forward_status = view.entry->status;
    how.stored = view.sharing->stored;
    deliver_entry(w.call, w.reply, view.entry, how, w.now.wall);
    flight->detach();
    return;
  }
  how.forward_status = view.head->status;
  how.passed = w.what.way == registry::Classified::Way::pass;
  deliver_stream(w.call, w.reply, flight, view, how, w.upstream->config().kind->is_registry());
}

// RFC 9111 4.4: what a successful write has changed is not served from here once it is told. A
// write that nobody knows the end of outdates nothing: with the origin gone what is held is all
// there is.
void Pipeline::outdate_written(const Walk& w, const cache::Flight::View& view) {
  static constexpr std::string_view kSafe[] = {"GET", "HEAD", "OPTIONS", "TRACE"};
  if (std::find(std::begin(kSafe), std::end(kSafe), w.call.head.method) != std::end(kSafe)) return;
  const int status = view.entry ? view.entry->status : view.head->status;
  if (status < 200 || status >= 400) return;
  const OriginConfig& config = w.upstream->config();
  if (!config.kind->is_registry()) {
    outdate_target(w.call.key);
    const http::Headers& answer = view.entry ? view.entry->headers : view.head->headers;
    for (const auto& rest : also_written(answer, w.rest, w.call.authority, config)) {
      std::string key = config.name + "\x1f";
      http::RequestHead get;
      get.method = "GET";
      config.kind->classify(get, rest, w.call.base, key);
      outdate_target(key);
    }
    return;
  }
  std::vector<std::string> prefixes = config.kind->written(w.rest);
  for (std::string& prefix : prefixes) prefix.insert(0, config.name + "\x1f");
  if (!prefixes.empty()) shield_.outdate(prefixes);
}

void Pipeline::outdate_target(const std::string& key) {
  shield_.outdate_target(key);
  shield_.erase(part_key(key));
}

// Its patience is over and the breaker is open, or there was no room to be held in.
void Pipeline::deliver_unheld(Walk& w, Provenance how) {
  OriginState& state = w.upstream->state();
  cache::Failure failure = failure_of(Errc::breaker_open, "The circuit breaker is open",
                                      "the origin is down; the request was held for it as long as "
                                      "it may be");
  failure.retry_at = state.next_probe(w.now.mono);
  if (const auto rests = state.paused_until("", w.now.mono)) {
    failure = failure_of(Errc::paused, "The origin asked for a pause",
                         "the request was held for its end as long as it may be");
    failure.retry_at = *rests;
  }
  how.coalesced = false;
  deliver_failed(w, failure, how);
}

void Pipeline::deliver_failed(Walk& w, const cache::Failure& failure, Provenance how) {
  if (serve_stale_on_error(w)) return;
  if (how.coalesced) w.upstream->patterns()[w.what.pattern].shared->add();
  how.outcome = Outcome::error;
  if (failure.from_origin) how.forward_status = failure.status;
  deliver_failure(w.reply, failure, w.reply.origin, how, w.now.mono, thread_rng());
}

std::string_view Pipeline::forward_reason(const Walk& w) const {
  if (w.what.way == registry::Classified::Way::pass) {
    const bool reads = w.call.head.method == "GET" || w.call.head.method == "HEAD";
    return reads ? "bypass" : "method";
  }
  if (w.asked.no_cache || w.asked.no_store) return "request";
  if (w.stored) return "stale";
  return w.vary.empty() ? "uri-miss" : "vary-miss";
}

bool Pipeline::serve_stale_on_error(Walk& w) {
  if (!w.stored || w.stored->negative ||
      !policy::stale_if_error_allowed(w.stored->times, w.asked, w.now.wall))
    return false;
  w.trace.note(Step::serve, "stale-if-error");
  serve_stored(w, Outcome::stale, "stale-if-error");
  return true;
}

}  // namespace tanggul::shield
