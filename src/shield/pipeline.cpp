#include "shield/pipeline.h"

#include <algorithm>

#include "base/digest.h"
#include "http/prefer.h"
#include "http/target.h"
#include "http/vary.h"
#include "shield/attempt.h"
#include "shield/bounded_body.h"
#include "shield/cluster.h"
#include "shield/request_headers.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/negative.h"

namespace tanggul::shield {
namespace {

constexpr std::string_view kOurs = "/.tanggul/";
constexpr std::chrono::seconds kLongestWait = 24h;
// A client's no-cache starts at most one revalidation of a key in this time.
constexpr Duration kRevalidateEvery = 1s;
// How often a caller follows an origin that names other Vary headers each time, before it goes
// alone.
constexpr int kMostVariantsTried = 2;

}  // namespace

Pipeline::Pipeline(Shield& shield, const Outside& outside, async::Executor executor,
                   ports::Handler* ours)
    : shield_(shield),
      routes_(shield.routes()),
      ours_(ours),
      outside_(outside),
      executor_(executor) {}

// The fast way down: fresh hits of requests that ask for nothing unusual. It decides exactly as
// answer() would, and leaves everything else to it.
bool Pipeline::answer_now(ports::Call& call, ports::Reply& reply) {
  if (call.head.method != "GET" && call.head.method != "HEAD") return false;
  if (ours_ != nullptr && call.head.target.starts_with(kOurs))
    return ours_->answer_now(call, reply);
  Walk w{call, reply};
  if (!route(w) || !key(w)) return true;
  if (w.what.way != registry::Classified::Way::cached) return false;
  lookup(w);
  if (!w.stored) return false;
  // Both of these start a fetch but wait for none. Chance has been asked: it is not asked again.
  if (w.serve == policy::Serve::fresh_refresh || w.serve == policy::Serve::stale_refresh)
    return serve(w);
  if (w.serve != policy::Serve::fresh) return false;
  serve_stored(w, w.stored->negative ? Outcome::negative : Outcome::hit,
               w.stored->negative ? "negative" : "");
  return true;
}

Task<void> Pipeline::answer(ports::Call& call, ports::Reply& reply) {
  if (ours_ != nullptr && call.head.target.starts_with(kOurs)) {
    co_await ours_->answer(call, reply);
    co_return;
  }
  Walk w{call, reply};
  if (route(w) && key(w)) {
    w.keep = w.upstream->shared_from_this();
    if (w.what.way == registry::Classified::Way::pass) {
      co_await pass(w);
    } else {
      // More addresses than we keep apart: the others share the form for our own.
      if (w.what.document && !w.upstream->state().admit_base(w.call.base)) key(w, routes_->own_url);
      co_await recall(w);
      if (outside_.clustered()) co_await recall_shared(w);
      lookup(w);
      if (!serve(w)) {
        co_await recall_documents(w);
        co_await flight(w);
      }
    }
  }
  w.trace.append_to(reply.trace);
  if (!w.flight_trace.empty()) reply.trace.append(" ").append(w.flight_trace);
}

bool Pipeline::route(Walk& w) {
  w.now = Now::take();
  w.upstream = routes_->route(w.call.head.target).get();
  w.reply.lines.clear();
  Provenance how;
  how.outcome = Outcome::error;
  if (w.upstream == nullptr) {
    std::string mounts = "mounts:";
    for (const auto& u : routes_->upstreams) mounts.append(" ").append(u->config().written_mount());
    deliver_problem(w.reply, 404, "unknown-mount", "Nothing is mounted here", mounts, "",
                    Duration::zero(), how);
    return false;
  }
  const OriginConfig& config = w.upstream->config();
  w.reply.origin = w.upstream->metrics().origin;
  w.reply.account = &w.upstream->metrics();
  w.rest = w.call.head.target;
  w.rest.remove_prefix(std::min(config.mount.size() - 1, w.rest.size()));
  if (w.rest.empty()) w.rest = "/";
  const bool has_dots =
      w.rest.find("..") != std::string_view::npos || w.rest.find('%') != std::string_view::npos;
  if (has_dots && !config.upstreams.front().path.empty() && http::climbs_out(w.rest)) {
    deliver_problem(w.reply, 400, "path", "The path leaves its mount",
                    "it climbs above the upstream's own path", config.name, Duration::zero(), how);
    return false;
  }
  if (const auto loop = w.call.head.find("cdn-loop");
      loop && w.call.head.joined("cdn-loop").find("tanggul") != std::string::npos) {
    deliver_problem(w.reply, 508, "loop", "The request has been here before",
                    "an upstream leads back to this shield", config.name, Duration::zero(), how);
    return false;
  }
  w.deadline = w.now.mono + config.deadline + config.deadline_ends_fetch.value_or(Duration::zero());
  w.hold_until = w.now.mono + (config.hold.by_default ? config.hold.most : Duration::zero());
  if (w.call.head.has("prefer"))
    if (const auto asked = http::prefer_wait(w.call.head)) {
      const auto wait = std::min(*asked, kLongestWait);
      w.prefers = true;
      w.deadline = w.hold_until = w.now.mono + wait;
      w.reply.lines.append("Preference-Applied: wait=");
      w.reply.lines.append(std::to_string(wait.count())).append("\r\n");
    }
  return true;
}

void Pipeline::write_base(Walk& w, std::string_view instead) {
  std::string& base = w.call.base;
  base.clear();
  if (!instead.empty()) {
    base += instead;
  } else if (!routes_->public_url.empty()) {
    base += routes_->public_url;
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
  if (w.what.way == registry::Classified::Way::refused) {
    refuse(w);
    return false;
  }
  const auto authorization =
      config.kind->takes_credentials() ? w.call.head.find("authorization") : std::nullopt;
  if (authorization && config.service_auth.empty()) {
    w.credential = to_hex(Digest::of(DigestKind::sha256, *authorization).substr(0, 16));
    if (w.what.way == registry::Classified::Way::pass) return true;
    // Private packages: what one credential fetched no other one gets to see.
    if (config.kind->is_registry()) key.append("\x1f").append(w.credential);
  }
  if (w.call.head.has("cache-control") || w.call.head.has("pragma"))
    w.asked = http::request_cache_control(w.call.head);
  return true;
}

// What is no request of its origin's kind.
void Pipeline::refuse(Walk& w) {
  const OriginConfig& config = w.upstream->config();
  const registry::Refusal why = config.kind->refusal(w.call.head, w.rest);
  if (!why.allow.empty()) w.reply.lines.append("Allow: ").append(why.allow).append("\r\n");
  Provenance how;
  how.outcome = Outcome::error;
  deliver_problem(w.reply, why.status, why.detail, why.title, why.text, config.name,
                  Duration::zero(), how);
}

// What lies on disk alone is brought to where lookup() finds it.
Task<void> Pipeline::recall(Walk& w) {
  if (shield_.disk() == nullptr) co_return;
  w.recalled = co_await shield_.recall(w.call.key, w.call.waiter, w.deadline);
  if (w.recalled && w.recalled->kind == cache::Entry::Kind::vary) {
    const std::string variant =
        variant_key(w.call.key, http::vary_values(w.recalled->vary, w.call.head));
    w.recalled_variant = co_await shield_.recall(variant, w.call.waiter, w.deadline);
  }
  w.now = Now::take();
}

void Pipeline::lookup(Walk& w) {
  const std::string& primary = w.call.key;
  cache::EntryPtr found = shield_.find(primary);
  if (!found) found = std::move(w.recalled);
  if (found && found->kind == cache::Entry::Kind::vary) {
    w.vary = found->vary;
    w.key = variant_key(primary, http::vary_values(w.vary, w.call.head));
    found = shield_.find(w.key);
    if (!found) found = std::move(w.recalled_variant);
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
  w.flight_key = flight_key_of(w, w.key, w.call.head.method);
  if (const auto mark = w.solo || w.stored ? nullptr : shield_.find(w.flight_key);
      mark && mark->times.expires > w.now.wall) {
    w.solo = mark->kind == cache::Entry::Kind::solo;
    if (mark->kind == cache::Entry::Kind::response && mark->negative) {  // a HEAD's own 404
      w.stored = mark;
      w.serve = policy::Serve::fresh;
    }
  }

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
  if (!w.stored && serve_part(w)) return true;
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
  w.failure = shield_.find(failure_key(w.flight_key));
  if (!w.failure || !w.failure->failure || w.failure->times.expires <= w.now.wall) return false;
  if (serve_stale_on_error(w)) return true;
  // While the origin is down, who would be held for it is not told off by what is remembered of it.
  if (origins_fault(w.failure->failure->code) && would_hold(w)) return false;
  w.trace.note(Step::serve, "negative");
  Provenance how;
  how.outcome = Outcome::negative;
  how.hit = true;
  how.detail = "negative";
  deliver_failure(w.reply, *w.failure->failure, w.reply.origin, how, w.now.mono, thread_rng());
  return true;
}

// One fetch in the background; whoever asked has been served already.
void Pipeline::refresh(Walk& w) {
  // Also when it was a HEAD that found the entry old: only a GET renews it.
  const std::string flight_key = flight_key_of(w, w.key, "GET");
  const cache::EntryPtr failed = shield_.find(failure_key(flight_key));
  if (failed && failed->times.expires > w.now.wall) return;
  FetchJob job = job_for(w);
  job.method = "GET";
  job.may_hold = false;
  job.background = true;
  auto joined = shield_.flights().join(flight_key, shield_.spool_directory());
  if (joined.leader) {
    job.flight = joined.flight;
    launch("refresh", std::move(job));
  }
  joined.flight->detach();
}

// Apart from the coroutine, so that the job is not part of what each waiting request holds.
cache::FlightTable::Joined Pipeline::join_flight(Walk& w) {
  FetchJob job = job_for(w);  // before anybody can join a flight that it might throw out of
  auto joined = shield_.flights().join(w.flight_key, shield_.spool_directory());
  w.trace.note(Step::flight, joined.leader ? "leader" : "follower");
  if (joined.leader) {
    job.flight = joined.flight;
    job.for_range = wants_range(w);
    take_interims(w, job);
    launch("flight", std::move(job));
  } else if (joined.flight->first_shared()) {
    w.upstream->patterns()[w.what.pattern].state->flights_shared().add();
  }
  return joined;
}

Task<void> Pipeline::flight(Walk& w) {
  if (w.solo || w.asked.no_store) {
    co_await alone(w, w.solo);
    co_return;
  }
  if (!w.stored && wants_range(w) && w.upstream->state().large().size_of(w.key, w.now.mono)) {
    co_await part(w);
    co_return;
  }
  const auto joined = join_flight(w);
  const Followed followed = co_await follow(w, joined.flight, joined.leader, false);
  if (followed == Followed::answered) co_return;
  if (followed == Followed::again) {
    co_await flight(w);
    co_return;
  }
  // Not ours: private, or another variant than was asked for.
  const auto sharing = joined.flight->view().sharing;
  if (!sharing->shareable || !is_alike(w, *sharing, joined.leader) ||
      ++w.variants_tried > kMostVariantsTried) {
    co_await alone(w, true);
    co_return;
  }
  std::vector<std::string> names;
  std::set_union(w.vary.begin(), w.vary.end(), sharing->vary.begin(), sharing->vary.end(),
                 std::back_inserter(names));
  w.vary = std::move(names);
  w.key = variant_key(w.primary, http::vary_values(w.vary, w.call.head));
  w.flight_key = flight_key_of(w, w.key, w.call.head.method);
  w.stored = co_await shield_.recall(w.key, w.call.waiter, w.deadline);
  if (w.stored && w.stored->kind != cache::Entry::Kind::response) w.stored.reset();
  if (w.stored && policy::decide(w.stored->times, w.asked, 0, w.now.wall, thread_rng()) ==
                      policy::Serve::fresh) {
    serve_stored(w, w.stored->negative ? Outcome::negative : Outcome::hit, "");
    co_return;
  }
  co_await flight(w);
}

// A fetch for this caller only: its answer may not be shared.
Task<void> Pipeline::alone(Walk& w, bool let_go) {
  auto flight = std::make_shared<cache::Flight>(w.flight_key, shield_.spool_directory());
  flight->attach();
  flight->set_cacheable(false);
  w.trace.note(Step::flight, "alone");
  FetchJob job = job_for(w);
  job.flight = flight;
  job.solo = true;
  job.in_table = false;
  job.stored.reset();
  job.headers = own_headers(w.call.head, w.upstream->config());
  job.deadline = w.deadline;
  take_interims(w, job);
  launch("alone", std::move(job));
  co_await follow(w, std::move(flight), true, let_go);
}

// Unshared and uncached.
Task<void> Pipeline::pass(Walk& w) {
  const ByteCount most = w.upstream->config().max_body;
  if (w.call.body && w.call.body->length().value_or(0) > most) {
    Provenance how;
    how.outcome = Outcome::error;
    deliver_problem(w.reply, 413, "body-too-large", "The body is too large",
                    "it is over the origin's max_body", w.reply.origin, Duration::zero(), how);
    co_return;
  }
  auto flight = std::make_shared<cache::Flight>("", shield_.spool_directory());
  flight->attach();
  flight->set_cacheable(false);
  w.trace.note(Step::flight, "pass");
  FetchJob job = job_for(w);
  job.flight = flight;
  job.key.clear();
  job.solo = true;
  job.in_table = false;
  job.headers = own_headers(w.call.head, w.upstream->config());
  if (w.call.body) job.body = std::make_shared<BoundedBody>(w.call.body, most);
  // An upload takes its time; the server watches that it moves.
  if (job.body) w.deadline = kForever;
  job.deadline = w.deadline;
  take_interims(w, job);
  launch("pass", std::move(job));
  co_await follow(w, std::move(flight), true, false);
}

// What requests must have in common to share a flight and its failure: the key, the method, and
// where credentials are not in the key the credential.
std::string Pipeline::flight_key_of(const Walk& w, std::string key, std::string_view method) const {
  if (method == "HEAD") key += "\x1fHEAD";
  if (!w.credential.empty() && !w.upstream->config().kind->is_registry())
    key.append("\x1f").append(w.credential);
  return key;
}

void Pipeline::launch(std::string_view task, FetchJob job) {
  start_fetch(shield_, outside_, executor_, task, std::move(job));
}

FetchJob Pipeline::job_for(const Walk& w) const {
  const OriginConfig& config = w.upstream->config();
  FetchJob job;
  job.upstream = w.upstream->shared_from_this();
  job.key = w.key;
  job.primary = w.primary;
  job.method = w.call.head.method;
  job.plan = config.kind->plan(w.call.head, w.rest, w.what);
  job.what = w.what;
  job.headers = shared_headers(w.call.head, job.plan, w.vary, !w.credential.empty(), config);
  if (w.stored && !w.stored->negative) job.stored = w.stored;
  job.rest = w.rest;
  job.base = w.call.base;
  job.had_authorization = !w.credential.empty() && !config.kind->is_registry();
  job.in_table = true;
  job.client = w.call.client;
  job.credential = w.credential;
  // A shared flight tries as long as any caller may wait, not as long as the first one does.
  job.deadline = w.now.mono + config.deadline;
  job.may_hold = w.hold_until > w.now.mono && config.hold.max > 0;
  job.generation = shield_.purges().now();
  if (outside_.clustered())
    job.asked_at = std::make_shared<const ports::PurgePlace>(outside_.cluster->place());
  job.patience = w.patience.left();
  if (!w.what.document && job.method == "GET") find_digest(w, job);
  return job;
}

// Where the documents would be held that name the artifact which is asked for, and its name there.
std::vector<std::string> Pipeline::document_keys(const Walk& w, std::string& file) const {
  const OriginConfig& config = w.upstream->config();
  registry::DigestSource source = config.kind->digest_source(w.rest, w.call.base);
  // Clients beyond the addresses that are kept apart were given the document for our own.
  const std::string_view mount = config.mount;
  const std::string own = routes_->own_url + std::string(mount.substr(0, mount.size() - 1));
  if (!source.keys.empty() && own != w.call.base)
    for (std::string& key : config.kind->digest_source(w.rest, own).keys)
      source.keys.push_back(std::move(key));
  for (std::string& key : source.keys) {
    key.insert(0, config.name + "\x1f");
    if (!w.credential.empty()) key.append("\x1f").append(w.credential);
  }
  file = std::move(source.file);
  return std::move(source.keys);
}

Task<void> Pipeline::recall_documents(Walk& w) {
  if (shield_.disk() == nullptr || w.what.document || w.call.head.method != "GET") co_return;
  std::string file;
  const std::vector<std::string> keys = document_keys(w, file);
  for (const std::string& key : keys) {
    cache::EntryPtr document = co_await shield_.recall(key, w.call.waiter, w.deadline);
    w.documents.push_back(std::move(document));
  }
}

// An artifact whose document we hold must have the digest that we have served for it.
void Pipeline::find_digest(const Walk& w, FetchJob& job) const {
  std::string file;
  const std::vector<std::string> keys = document_keys(w, file);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    cache::EntryPtr document = shield_.find(keys[i]);
    if (!document && i < w.documents.size()) document = w.documents[i];
    const ArtifactDigest* known = document ? document->digest_of(file) : nullptr;
    if (known == nullptr) continue;
    job.digest = w.upstream->config().kind->expected(known->integrity, known->sha1);
    job.plan.url = known->url;
    return;
  }
}

void Pipeline::finished(const ports::Call& call, const ports::Reply& reply, ByteCount,
                        ports::Sent end) {
  if (reply.account == nullptr) return;
  const OriginMetrics& m = *static_cast<const OriginMetrics*>(reply.account);
  m.request_duration->observe(MonoClock::now() - call.started);
  std::string_view result = reply.result;
  if (end == ports::Sent::left) result = name(Outcome::aborted);
  if (end == ports::Sent::cut) result = name(Outcome::error);
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i) {
    if (kOutcomeNames[i] != result) continue;
    m.requests[i]->add();
    return;
  }
}

}  // namespace tanggul::shield
