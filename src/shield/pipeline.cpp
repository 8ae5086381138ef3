#include "shield/pipeline.h"

#include <algorithm>

#include "base/digest.h"
#include "base/random.h"
#include "http/prefer.h"
#include "http/vary.h"
#include "shield/request_headers.h"

namespace tanggul::shield {
namespace {

constexpr Duration kLongestWait = 24h;
// A client's no-cache starts at most one revalidation of a key in this time.
constexpr Duration kRevalidateEvery = 1s;

}  // namespace

Pipeline::Pipeline(Shield& shield, ports::Origin& origin, async::Executor executor)
    : shield_(shield), origin_(origin), executor_(executor) {}

// The fast way down: fresh hits of requests that ask for nothing unusual. It decides exactly as
// answer() would, and leaves everything else to it.
bool Pipeline::answer_now(ports::Call& call, ports::Reply& reply) {
  if (call.head.method != "GET" && call.head.method != "HEAD") return false;
  Walk w{call, reply};
  if (!route(w) || !key(w)) return true;
  if (w.what.way != registry::Classified::Way::cached) return false;
  lookup(w);
  if (!w.stored || w.serve != policy::Serve::fresh) return false;
  serve_stored(w, w.stored->negative ? Outcome::negative : Outcome::hit,
               w.stored->negative ? "negative" : "");
  return true;
}

Task<void> Pipeline::answer(ports::Call& call, ports::Reply& reply) {
  Walk w{call, reply};
  if (route(w) && key(w)) {
    if (w.what.way == registry::Classified::Way::pass) {
      co_await pass(w);
    } else {
      // More addresses than we keep apart: the others share the form for our own.
      if (w.what.document && !w.upstream->admit_base(w.call.base)) key(w, shield_.config().own_url);
      lookup(w);
      if (!serve(w)) co_await flight(w);
    }
  }
  w.trace.append_to(reply.trace);
  if (!w.flight_trace.empty()) reply.trace.append(" ").append(w.flight_trace);
}

bool Pipeline::route(Walk& w) {
  w.now = Now::take();
  w.upstream = shield_.route(w.call.head.target);
  Provenance how;
  how.outcome = Outcome::error;
  if (w.upstream == nullptr) {
    std::string mounts = "mounts:";
    for (const auto& u : shield_.upstreams()) mounts.append(" ").append(u->config().mount);
    deliver_problem(w.reply, 404, "unknown-mount", "Nothing is mounted here", mounts, "",
                    Duration::zero(), how);
    return false;
  }
  const OriginConfig& config = w.upstream->config();
  w.reply.origin = config.name;
  w.rest = w.call.head.target;
  w.rest.remove_prefix(std::min(config.mount.size() - 1, w.rest.size()));
  if (w.rest.empty()) w.rest = "/";
  if (const auto loop = w.call.head.find("cdn-loop");
      loop && w.call.head.joined("cdn-loop").find("tanggul") != std::string::npos) {
    deliver_problem(w.reply, 508, "loop", "The request has been here before",
                    "an upstream leads back to this shield", config.name, Duration::zero(), how);
    return false;
  }
  w.deadline = w.now.mono + config.deadline;
  if (w.call.head.has("prefer"))
    if (const auto wait = http::prefer_wait(w.call.head))
      w.deadline = w.now.mono + std::min<Duration>(*wait, kLongestWait);
  return true;
}

void Pipeline::write_base(Walk& w, std::string_view instead) {
  std::string& base = w.call.base;
  base.clear();
  if (!instead.empty()) {
    base += instead;
  } else if (!shield_.config().public_url.empty()) {
    base += shield_.config().public_url;
  } else {
    base.append(w.call.scheme).append("://").append(w.call.authority);
  }
  const std::string_view mount = w.upstream->config().mount;
  base.append(mount.substr(0, mount.size() - 1));
}

bool Pipeline::key(Walk& w, std::string_view base) {
  const OriginConfig& config = w.upstream->config();
  write_base(w, base);
  std::string& key = w.call.key;
  key.clear();
  key.append(config.name).append("\x1f");
  w.what = config.kind->classify(w.call.head, w.rest, w.call.base, key);
  if (w.what.way == registry::Classified::Way::pass) return true;
  const auto authorization = w.call.head.find("authorization");
  if (authorization && config.service_auth.empty()) {
    w.credential = to_hex(Digest::of(DigestKind::sha256, *authorization).substr(0, 16));
    // Private packages: what one credential fetched no other one gets to see.
    if (config.kind->is_registry()) key.append("\x1f").append(w.credential);
  }
  if (w.call.head.has("cache-control") || w.call.head.has("pragma"))
    w.asked = http::request_cache_control(w.call.head);
  return true;
}

void Pipeline::lookup(Walk& w) {
  const std::string& primary = w.call.key;
  cache::EntryPtr found = shield_.find(primary);
  if (found && found->kind == cache::Entry::Kind::vary) {
    w.vary = found->vary;
    w.key = variant_key(primary, http::vary_values(w.vary, w.call.head));
    found = shield_.find(w.key);
  }
  if (found && found->kind == cache::Entry::Kind::solo) {
    w.solo = found->times.expires > w.now.wall;
    return;
  }
  if (!found || found->kind != cache::Entry::Kind::response) return;
  w.stored = std::move(found);
  const policy::StoredTimes& times = w.stored->times;
  w.serve = policy::decide(times, w.asked, w.upstream->config().early_refresh_beta, w.now.wall,
                           thread_rng());
  // An entry that has just been fetched is what a revalidation would bring.
  if (w.serve == policy::Serve::revalidate && !times.no_cache &&
      w.now.wall - times.stored_at < kRevalidateEvery && times.expires > w.now.wall)
    w.serve = policy::Serve::fresh;
  // A remembered 404 is answered whatever the client's no-cache says: it is what protects the
  // origin.
  if (w.stored->negative)
    w.serve = times.expires > w.now.wall ? policy::Serve::fresh : policy::Serve::miss;
}

// True: answered from what is held.
bool Pipeline::serve(Walk& w) {
  w.primary = w.call.key;
  if (w.key.empty()) w.key = w.primary;
  w.flight_key = w.key;
  if (w.call.head.method == "HEAD") w.flight_key += "\x1fHEAD";
  if (!w.credential.empty() && !w.upstream->config().kind->is_registry())
    w.flight_key.append("\x1f").append(w.credential);
  if (const auto mark = w.solo ? nullptr : shield_.find(w.flight_key);
      mark && mark->kind == cache::Entry::Kind::solo)
    w.solo = mark->times.expires > w.now.wall;

  switch (w.stored ? w.serve : policy::Serve::miss) {
    case policy::Serve::fresh:
      w.trace.note(Step::lookup, "fresh");
      serve_stored(w, w.stored->negative ? Outcome::negative : Outcome::hit,
                   w.stored->negative ? "negative" : "");
      return true;
    case policy::Serve::fresh_refresh:
      w.trace.note(Step::lookup, "fresh");
      w.trace.note(Step::serve, "early-refresh");
      refresh(w);
      serve_stored(w, Outcome::hit, "");
      return true;
    case policy::Serve::stale_refresh:
      w.trace.note(Step::lookup, "stale");
      w.trace.note(Step::serve, "stale-while-revalidate");
      refresh(w);
      serve_stored(w, Outcome::stale, "stale-while-revalidate");
      return true;
    case policy::Serve::revalidate:
      w.trace.note(Step::lookup, "stale");
      break;
    case policy::Serve::miss:
      w.trace.note(Step::lookup, w.solo ? "solo" : "miss");
      break;
  }
  if (serve_negative(w)) return true;
  if (w.asked.only_if_cached) {
    Provenance how;
    how.outcome = Outcome::error;
    how.forward = "request";
    deliver_problem(w.reply, 504, "only-if-cached", "Not in the cache",
                    "the request allows no other answer", w.reply.origin, Duration::zero(), how);
    return true;
  }
  return false;
}

void Pipeline::serve_stored(Walk& w, Outcome outcome, std::string_view detail) {
  Provenance how;
  how.outcome = outcome;
  how.hit = true;
  how.detail = detail;
  deliver_entry(w.call, w.reply, w.stored, how, w.now.wall);
}

// A failure remembered for this key, and nothing stale to serve instead.
bool Pipeline::serve_negative(Walk& w) {
  w.failure = shield_.find(failure_key(w.key));
  if (!w.failure || !w.failure->failure || w.failure->times.expires <= w.now.wall) return false;
  if (serve_stale_on_error(w)) return true;
  w.trace.note(Step::serve, "negative");
  Provenance how;
  how.outcome = Outcome::negative;
  how.hit = true;
  how.detail = "negative";
  deliver_failure(w.reply, *w.failure->failure, w.reply.origin, how, w.now.mono, thread_rng());
  return true;
}

bool Pipeline::serve_stale_on_error(Walk& w) {
  if (!w.stored || w.stored->negative ||
      !policy::stale_if_error_allowed(w.stored->times, w.asked, w.now.wall))
    return false;
  w.trace.note(Step::serve, "stale-if-error");
  serve_stored(w, Outcome::stale, "stale-if-error");
  return true;
}

// One fetch in the background; whoever asked has been served already.
void Pipeline::refresh(Walk& w) {
  const cache::EntryPtr failed = shield_.find(failure_key(w.key));
  if (failed && failed->times.expires > w.now.wall) return;
  auto joined = shield_.flights().join(w.flight_key, shield_.config().spool_directory);
  if (joined.leader) {
    FetchJob job = job_for(w, joined.flight);
    shield_.tasks().spawn(executor_, "refresh", run_fetch(shield_, origin_, std::move(job)));
  }
  joined.flight->detach();
}

Task<void> Pipeline::flight(Walk& w) {
  if (w.solo || w.asked.no_store) {
    co_await alone(w, w.solo);
    co_return;
  }
  auto joined = shield_.flights().join(w.flight_key, shield_.config().spool_directory);
  w.trace.note(Step::flight, joined.leader ? "leader" : "follower");
  if (joined.leader) {
    FetchJob job = job_for(w, joined.flight);
    shield_.tasks().spawn(executor_, "flight", run_fetch(shield_, origin_, std::move(job)));
  }
  const Followed followed = co_await follow(w, joined.flight, joined.leader, false);
  if (followed == Followed::answered) co_return;
  // Not ours: private, or another variant than was asked for.
  const auto sharing = joined.flight->view().sharing;
  const bool other_variant = sharing && sharing->shareable;
  const bool selected_before =
      other_variant &&
      std::includes(w.vary.begin(), w.vary.end(), sharing->vary.begin(), sharing->vary.end());
  if (!other_variant || selected_before) {
    co_await alone(w, true);
    co_return;
  }
  w.vary = sharing->vary;
  w.key = variant_key(w.primary, http::vary_values(w.vary, w.call.head));
  w.stored.reset();
  w.serve = policy::Serve::miss;
  if (const auto entry = shield_.find(w.key);
      entry && entry->kind == cache::Entry::Kind::response && entry->times.expires > w.now.wall) {
    w.stored = entry;
    serve_stored(w, Outcome::hit, "");
    co_return;
  }
  w.flight_key = w.key;
  co_await flight(w);
}

// A fetch for this caller only: its answer may not be shared.
Task<void> Pipeline::alone(Walk& w, bool let_go) {
  auto flight = std::make_shared<cache::Flight>(w.flight_key, shield_.config().spool_directory);
  flight->attach();
  flight->set_cacheable(false);
  w.trace.note(Step::flight, "alone");
  FetchJob job = job_for(w, flight);
  job.solo = true;
  job.in_table = false;
  job.key.clear();
  job.stored.reset();
  job.headers = own_headers(w.call.head, w.upstream->config());
  shield_.tasks().spawn(executor_, "alone", run_fetch(shield_, origin_, std::move(job)));
  co_await follow(w, std::move(flight), true, let_go);
}

// Unshared and uncached.
Task<void> Pipeline::pass(Walk& w) {
  auto flight = std::make_shared<cache::Flight>("", shield_.config().spool_directory);
  flight->attach();
  flight->set_cacheable(false);
  w.trace.note(Step::flight, "pass");
  FetchJob job = job_for(w, flight);
  job.key.clear();
  job.solo = true;
  job.in_table = false;
  job.headers = own_headers(w.call.head, w.upstream->config());
  job.body = w.call.body;
  // An upload takes its time; the server watches that it moves.
  if (job.body) w.deadline = kForever;
  shield_.tasks().spawn(executor_, "pass", run_fetch(shield_, origin_, std::move(job)));
  co_await follow(w, std::move(flight), true, false);
}

FetchJob Pipeline::job_for(const Walk& w, const cache::FlightPtr& flight) const {
  const OriginConfig& config = w.upstream->config();
  FetchJob job;
  job.flight = flight;
  job.upstream = w.upstream;
  job.key = w.key;
  job.primary = w.primary;
  job.method = w.call.head.method;
  job.plan = config.kind->plan(w.call.head, w.rest, w.what);
  job.what = w.what;
  job.headers = shared_headers(w.call.head, job.plan, w.vary, !w.credential.empty(), config);
  if (job.method == "GET" && w.stored && !w.stored->negative) job.stored = w.stored;
  job.rest = w.rest;
  job.base = w.call.base;
  job.had_authorization = !w.credential.empty() && !config.kind->is_registry();
  job.in_table = true;
  job.client = w.call.client;
  job.credential = w.credential;
  job.deadline = w.deadline;
  if (!w.what.document) find_digest(w, job);
  return job;
}

// An artifact whose document we hold must have the digest that we have served for it.
void Pipeline::find_digest(const Walk& w, FetchJob& job) const {
  const OriginConfig& config = w.upstream->config();
  const registry::DigestSource source = config.kind->digest_source(w.rest, w.call.base);
  for (const std::string& inner : source.keys) {
    std::string key = config.name + "\x1f" + inner;
    if (!w.credential.empty()) key.append("\x1f").append(w.credential);
    const cache::EntryPtr document = shield_.find(key);
    const ArtifactDigest* known = document ? document->digest_of(source.file) : nullptr;
    if (known == nullptr) continue;
    job.digest = config.kind->expected(known->integrity, known->sha1);
    job.plan.url = known->url;
    return;
  }
}

Task<Pipeline::Followed> Pipeline::follow(Walk& w, cache::FlightPtr flight, bool leader,
                                          bool let_go) {
  using Phase = cache::Flight::Phase;
  const async::WaiterPtr waiter = w.call.waiter;
  const cache::WatchScope scope(*flight, waiter);
  cache::Flight::View view = flight->view();
  while (view.phase == Phase::fetching && !waiter->closed() && MonoClock::now() < w.deadline) {
    if (flight->watch(view, waiter)) co_await waiter->wait_until(w.deadline);
    view = flight->view();
  }
  if (leader) w.flight_trace = flight->trace();
  w.now = Now::take();
  Provenance how;
  how.forward = forward_reason(w);
  how.coalesced = !leader;
  how.let_go = let_go;
  how.outcome = leader ? Outcome::miss : Outcome::coalesced;
  if (w.what.way == registry::Classified::Way::pass) how.outcome = Outcome::pass;
  if (waiter->closed()) {
    w.reply.result = name(Outcome::aborted);
  } else if (view.phase == Phase::fetching) {
    how.outcome = Outcome::error;
    how.detail = "deadline";
    how.coalesced = false;
    deliver_problem(w.reply, 504, "deadline", "Not ready within the time you gave",
                    "the fetch goes on; ask again", w.reply.origin, 1s, how);
  } else if (view.phase == Phase::failed) {
    deliver_failed(w, *view.failure, how);
  } else if (!may_have(w, view, leader, !let_go && !w.solo)) {
    flight->detach();
    co_return Followed::not_ours;
  } else {
    deliver(w, flight, view, how);
    co_return Followed::answered;  // deliver() has passed the attachment on
  }
  flight->detach();
  co_return Followed::answered;
}

bool Pipeline::may_have(const Walk& w, const cache::Flight::View& view, bool leader,
                        bool shared) const {
  if (!view.sharing || !shared || w.what.way == registry::Classified::Way::pass) return true;
  // Not to be shared: it is the leader's, unless something of its request was kept back that might
  // have brought it another answer.
  if (!view.sharing->shareable) return leader && !withheld(w.call.head, w.upstream->config());
  if (view.sharing->vary.empty()) return true;
  return http::vary_values(view.sharing->vary, w.call.head) == view.sharing->vary_values;
}

void Pipeline::deliver(Walk& w, const cache::FlightPtr& flight, const cache::Flight::View& view,
                       Provenance how) {
  if (how.coalesced) w.upstream->metrics().patterns[w.what.pattern].shared->add();
  if (view.phase == cache::Flight::Phase::landed) {
    how.forward_status = view.entry->status;
    how.stored = !w.solo && view.entry->times.expires > w.now.wall;
    deliver_entry(w.call, w.reply, view.entry, how, w.now.wall);
    flight->detach();
    return;
  }
  how.forward_status = view.head->status;
  deliver_stream(w.call, w.reply, flight, view, how);
}

void Pipeline::deliver_failed(Walk& w, const cache::Failure& failure, Provenance how) {
  if (serve_stale_on_error(w)) return;
  if (how.coalesced) w.upstream->metrics().patterns[w.what.pattern].shared->add();
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

void Pipeline::finished(const ports::Call& call, const ports::Reply& reply, ByteCount, bool whole) {
  if (reply.origin.empty()) return;
  const Upstream* upstream = shield_.route(call.head.target);
  if (upstream == nullptr) return;
  const OriginMetrics& m = upstream->metrics();
  m.request_duration->observe(MonoClock::now() - call.started);
  const std::string_view result = whole ? reply.result : name(Outcome::aborted);
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i)
    if (kOutcomeNames[i] == result) m.requests[i]->add();
}

}  // namespace tanggul::shield
