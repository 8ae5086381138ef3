#include "shield/running_fetch.h"

#include <atomic>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "base/log.h"
#include "cache/tags.h"
#include "http/targeted.h"
#include "http/vary.h"
#include "shield/admission.h"
#include "shield/attempt.h"
#include "shield/flight_sink.h"
#include "shield/missed.h"
#include "shield/parts.h"
#include "shield/request_headers.h"
#include "shield/store.h"
#include "tanggul/policy/backoff.h"

namespace tanggul::shield {

using policy::BreakerSample;

// A flight looks into the cache once more: between a caller's miss and its take-off, another flight
// may have landed. A takes off and lands, B has missed before and joins nothing any more.
bool RunningFetch::second_look() {
  if (!job_.in_table || job_.key.empty()) return false;
  const WallTime now = wall_now();
  cache::EntryPtr held = shield_.find(job_.key);
  if (held && held->kind == cache::Entry::Kind::vary)
    held = shield_.find(variant_key(job_.primary, http::vary_values(held->vary, job_.headers)));
  const bool fresh = held && held->kind == cache::Entry::Kind::response && held != job_.stored &&
                     held->times.expires > now && !held->times.no_cache;
  if (fresh) {
    cache::Sharing sharing = sharing_of({}, held->headers);
    sharing.stored = true;
    job_.flight->land(held, std::move(sharing));
    return true;
  }
  if (job_.may_hold && up_.must_wait(MonoClock::now())) return false;
  const cache::EntryPtr failed = shield_.find(failure_key(job_.flight->key()));
  if (!failed || !failed->failure || failed->times.expires <= now) return false;
  job_.flight->fail(*failed->failure);
  return true;
}

void RunningFetch::note(Step step, std::string_view decision) {
  trace_.note(step, decision);
  std::string line;
  trace_.append_to(line);
  job_.flight->set_trace(std::move(line));
}

bool RunningFetch::may_retry() const {
  const bool idempotent = job_.method == "GET" || job_.method == "HEAD" ||
                          job_.method == "OPTIONS" || job_.method == "PUT" ||
                          job_.method == "DELETE";
  return idempotent && !(job_.body && job_.body->touched());
}

Task<void> RunningFetch::run() {
  up_.metrics().flights->add(1);
  job_.upstream->patterns()[job_.what.pattern].flights_started->add();
  if (second_look()) co_return;
  note_missed(job_, MonoClock::now());
  if (is_shared()) {
    const bool landed = co_await share();
    if (landed) co_return;
  }
  mirror_ = up_.first_mirror(MonoClock::now());
  for (int number = 0;;) {
    co_await attempt();
    if (reserved_) {
      reserved_ = false;
      up_.release_retry();
      const bool well = last_.kind == Attempted::Kind::answered;
      up_.metrics().retries.find(well ? "success" : "failure")->second->add();
    }
    if (holds_on()) {
      ++mirror_;
      continue;
    }
    const std::optional<Duration> pause = pause_before(number);
    if (last_.kind == Attempted::Kind::answered || (!pause && last_.deliverable)) {
      if (last_.kind == Attempted::Kind::answered) up_.mirror_worked(mirror(), MonoClock::now());
      co_await finish(*sink_);
      co_return;
    }
    if (!pause) {
      co_await give_up();
      co_return;
    }
    ++number;
    ++mirror_;
    const MonoTime until = MonoClock::now() + *pause;
    while (MonoClock::now() < until && !job_.flight->cancellation().cancelled()) {
      job_.flight->cancellation().bind(waiter_);
      co_await waiter_->wait_until(until);
    }
  }
}

// A failure while the origin is down is no answer for who may be held: it waits, again or from now
// on, whatever its attempts so far. While the herd is let go a failure may be the first sign that
// the origin goes down again, or this request's own: that is found out once, then it fails as it
// would on any day.
bool RunningFetch::holds_on() {
  const MonoTime now = MonoClock::now();
  // What never reached the origin may be sent later, whatever its method.
  const bool unsent =
      last_.failure.code == Errc::refused || last_.failure.code == Errc::connect_timeout;
  const bool again = may_retry() || (unsent && !(job_.body && job_.body->touched()));
  if (last_.kind != Attempted::Kind::failed || !last_.retryable || !job_.may_hold || !again ||
      job_.flight->cancellation().cancelled() || !up_.must_wait(now))
    return false;
  if (up_.breaker_state(now) != policy::BreakerState::closed) return true;
  return !std::exchange(failed_while_serving_, true);
}

// The sleep before the next attempt, reserved in the budget; nullopt: there is none.
std::optional<Duration> RunningFetch::pause_before(int number) {
  if (last_.kind != Attempted::Kind::failed || !last_.retryable || !may_retry())
    return std::nullopt;
  // A pooled connection that the origin had closed was no try, also where there is but one.
  const bool owed = last_.at_once && !std::exchange(sent_anew_, true);
  if ((number + 1 >= config().retry.attempts && !owed) || job_.flight->cancellation().cancelled())
    return std::nullopt;
  const MonoTime now = MonoClock::now();
  Duration pause = Duration::zero();
  if (!last_.at_once) {
    pause = policy::full_jitter(config().retry, number, rng_);
    if (last_.wait) pause = std::max(pause, *last_.wait);
  }
  if (now + pause >= job_.deadline) {
    up_.metrics().retries.find("deadline")->second->add();
    return std::nullopt;
  }
  if (!up_.reserve_retry(now)) {
    up_.metrics().retries.find("budget_exhausted")->second->add();
    return std::nullopt;
  }
  reserved_ = true;
  return pause;
}

Task<void> RunningFetch::attempt() {
  Admission admission{outside_, up_, *job_.flight, waiter_, job_, note_};
  Pass go;
  const bool admitted = co_await admission.ask(go, last_, rng_);
  if (admitted) co_await send(go);
}

// A reload while this one was held or slept may have named another server. The credential that we
// have added goes to nobody but the server that it is for.
void RunningFetch::take_up_reload() {
  const UpstreamPtr now = shield_.routes()->find(config().name);
  if (!now || now == job_.upstream || now->config().kind->name() != config().kind->name()) return;
  if (!config().mount_template.empty()) return;  // its values are those of its own query
  const std::string& credential = now->config().service_auth;
  if (credential != config().service_auth) {
    job_.headers.remove("Authorization");
    if (!credential.empty()) job_.headers.set("Authorization", credential);
  }
  job_.upstream = now;
}

// Once, with the pass. A frame of its own: while a fetch waits for its pass there is none.
Task<void> RunningFetch::send(Pass& go) {
  take_up_reload();
  const MonoTime now = MonoClock::now();
  // Who was held has its own time from now on.
  if (go.held) job_.deadline = std::max(job_.deadline, now + config().deadline);
  up_.attempt_started(now);
  sent_at_ = wall_now();
  const ports::OriginRequest sent = request();
  sink_ = std::make_unique<FlightSink>(
      *job_.flight, rules(),
      [this](int status, const http::Headers& h) { return judge(status, h); },
      [this](const policy::Lifetime& l, const http::Headers& h) { return sharing_of(l, h); });
  const ports::FetchEnd end =
      co_await outside_.origin->fetch(sent, *sink_, job_.flight->cancellation());
  const Duration taken = MonoClock::now() - now;
  const bool pass = job_.what.way == registry::Classified::Way::pass;
  last_ = judge_attempt(end, *sink_, pass);
  fresh_connection_ = fresh_connection_ || last_.at_once;  // the pool may hold more dead ones
  // What is passed through without a credential says nothing of the readers'.
  if (sink_->status() == 429 && (!pass || !job_.credential.empty()))
    up_.pause(job_.credential, last_.failure.retry_at);

  const BreakerSample sample = sample_of(last_, *sink_);
  go.place->release(taken, sample == BreakerSample::failure);
  go.running.end(sample != BreakerSample::failure);
  tell_sample(go, sample);
  count(end, *sink_, taken);
  if (sink_->refusal() == Errc::io || sink_->unstored()) tell_no_room();
  if (sink_->refusal() == Errc::over_passthrough)
    up_.large().note(job_.key, *sink_->length(), MonoClock::now());
  const Errc code = sink_->refusal().value_or(end.error.value_or(Errc{}));
  note(Step::origin, code == Errc{} ? std::to_string(sink_->status()) : std::string(name(code)));
  if (last_.failure.code == Errc::digest_mismatch) note(Step::verify, "mismatch");
}

// Counted once: by the cluster, which this node's breaker follows, or here.
void RunningFetch::tell_sample(Pass& go, BreakerSample sample) {
  const MonoTime now = MonoClock::now();
  const bool shared = go.shared && config().breaker_shared;
  up_.record(go.ticket, shared ? BreakerSample::ignored : sample, now, rng_);
  if (shared && sample != BreakerSample::ignored)
    up_.note_outcome(sample == BreakerSample::success, now);
  if (!go.shared) return;
  const bool pauses = last_.failure.code == Errc::paused && sink_->status() == 429;
  const Duration pause = pauses ? last_.failure.retry_at - now : Duration::zero();
  static constexpr ports::AttemptSample kSamples[] = {
      ports::AttemptSample::success, ports::AttemptSample::failure, ports::AttemptSample::ignored};
  go.shared->end(kSamples[static_cast<std::size_t>(sample)], pause, job_.credential);
}

ports::OriginRequest RunningFetch::request() const {
  ports::OriginRequest r;
  const OriginConfig& config = this->config();
  const UpstreamUrl& to = config.upstreams[mirror()];
  r.method = job_.method;
  r.base = to.base;
  r.target = to.path + job_.plan.target;
  r.headers = job_.headers;
  if (!job_.plan.url.empty()) point_elsewhere(job_.plan.url, to, config, r);
  if (revalidates() && job_.stored->revalidatable) {
    if (!job_.stored->origin_etag.empty()) r.headers.set("If-None-Match", job_.stored->origin_etag);
    if (const auto modified = job_.stored->headers.find("last-modified"))
      r.headers.set("If-Modified-Since", *modified);
  }
  r.body = job_.body.get();
  r.timeouts = config.timeouts;
  if (config.deadline_ends_fetch) r.deadline = job_.deadline;
  r.tls = config.tls;
  r.http2 = config.http2;
  r.decode = job_.what.document;
  // What could not be sent again is not risked on a pooled connection that may have died.
  r.fresh_connection = fresh_connection_ || job_.body != nullptr || !may_retry();
  r.follow_redirects = job_.what.way == registry::Classified::Way::cached;
  r.credential_headers = config.kind->credential_headers();
  return r;
}

FlightSink::Rules RunningFetch::rules() const {
  FlightSink::Rules rules;
  const bool pass = job_.what.way == registry::Classified::Way::pass;
  rules.document = job_.what.document && job_.method == "GET";
  rules.pass = pass;
  rules.as_sent = pass || config().negative.server_error == Duration::zero();
  rules.revalidating = revalidates();
  rules.registry = config().kind->is_registry();
  rules.max_object = config().max_object;
  rules.digest = job_.digest;
  rules.interims = job_.interims;
  if (together_) rules.resumption = together_->resumption;
  if (job_.for_range) rules.whole_up_to = config().range_passthrough;
  rules.timeouts = config().timeouts;
  rules.make_room = [this](int error, ByteCount size) { return shield_.make_room(error, size); };
  return rules;
}

policy::Lifetime RunningFetch::judge(int status, const http::Headers& headers) const {
  return judge_as(job_.method, status, headers);
}

policy::Lifetime RunningFetch::judge_as(std::string_view method, int status,
                                        const http::Headers& headers) const {
  // A part lives as its whole would.
  if (job_.part && status == 206) status = 200;
  policy::ResponseContext context;
  context.resource = job_.what.resource;
  context.registry = config().kind->is_registry();
  context.had_authorization = job_.had_authorization;
  context.method_get = method == "GET" && job_.what.way == registry::Classified::Way::cached;
  const auto& targeted = config().targeted;
  const http::Headers directed =
      targeted.empty() ? http::Headers() : http::as_directed(headers, targeted);
  return policy::judge(status, targeted.empty() ? headers : directed, context, config().freshness,
                       sent_at_, wall_now(), rng_);
}

cache::Sharing RunningFetch::sharing_of(const policy::Lifetime& lifetime,
                                        const http::Headers& headers) const {
  cache::Sharing sharing;
  sharing.shareable = lifetime.shareable;
  if (config().kind->is_registry()) return sharing;  // their variants are in the key
  sharing.vary = selecting(http::vary_names(headers));
  // An answer that its origin has not called anybody else's is shared with those only who asked for
  // it in the same words.
  if (config().all_request_headers && lifetime.fresh_for <= lifetime.initial_age) {
    sharing.alike = unselecting(job_.headers);
    sharing.alike_values = http::vary_values(sharing.alike, job_.headers);
  }
  sharing.vary_values = http::vary_values(sharing.vary, job_.headers);
  return sharing;
}

void RunningFetch::count(const ports::FetchEnd& end, const FlightSink& sink, Duration taken) {
  const auto& by_code = up_.metrics().origin_requests;
  up_.metrics().origin_duration->observe(taken);
  if (end.error == Errc::cancelled || end.error == Errc::stale_connection ||
      end.error == Errc::limit)
    return;
  if (end.error) {
    by_code.find(code_label(*end.error))->second->add();
    up_.note_error(std::string(name(*end.error)) + ": " + end.detail);
    return;
  }
  by_code.find(code_label(sink.status()))->second->add();
  if (sink.status() >= 500 || sink.status() == 429)
    up_.note_error(std::to_string(sink.status()) + " from the origin");
}

// Ours and not the origin's.
void RunningFetch::tell_no_room() {
  constexpr Duration kAtMostEvery = 10s;
  static std::atomic<MonoTime::rep> told{0};
  const std::string what = "a body could not be kept: the data directory " +
                           shield_.spool_directory() + " takes no more of it, is it full?";
  shield_.note_trouble(what, MonoClock::now());
  const MonoTime::rep now = MonoClock::now().time_since_epoch().count();
  MonoTime::rep last = told.load();
  if (last != 0 && now - last < kAtMostEvery.count()) return;
  if (told.compare_exchange_strong(last, now)) log::error("{}", what);
}

Task<void> RunningFetch::give_up() {
  cache::Failure failure = std::move(last_.failure);
  const Now now = Now::take();
  if (last_.kind == Attempted::Kind::failed && job_.in_table && !job_.flight->store_forbidden() &&
      is_remembered(failure.code)) {
    static const http::Headers kNone;
    const Duration keep = failure.from_origin
                              ? policy::server_error_ttl(sink_ ? sink_->headers() : kNone,
                                                         config().negative, now.wall, rng_)
                              : policy::unreachable_ttl(config().negative, rng_);
    if (keep > Duration::zero()) {
      failure.retry_at = now.mono + keep;
      remember_failure(shield_, job_.flight->key(), failure, now.wall, keep);
      // Purged while it was being remembered: see publish().
      if (job_.flight->store_forbidden()) shield_.forget_failure(job_.flight->key());
      co_await share_failure(failure, keep);
    }
  }
  job_.flight->fail(std::move(failure));
}

void RunningFetch::publish_noted(const cache::EntryPtr& entry, bool storable,
                                 cache::Sharing& sharing) {
  const std::string_view where = publish(shield_, job_, entry, storable, sharing);
  sharing.stored = where == "memory" || where == "disk";
  note(Step::store, where);
}

Task<void> RunningFetch::finish(FlightSink& sink) {
  const Duration cost = MonoClock::now() - began_;
  if (sink.status() == 304 && revalidates()) {
    const auto fresh = updated(*job_.stored, sink.headers());
    fresh->generation = job_.generation;
    fresh->tags = cache::tags_of(fresh->headers);
    const policy::Lifetime lifetime = judge(fresh->status, fresh->headers);
    give_life(*fresh, lifetime, sent_at_, cost);
    cache::Sharing sharing = sharing_of(lifetime, fresh->headers);
    co_await share_entry(fresh, lifetime.storable, sharing);
    publish_noted(fresh, lifetime.storable, sharing);
    job_.flight->land(fresh, sharing);
    co_return;
  }
  if (!job_.flight->whole()) {
    // Gone through memory: those who read it have it, nobody else will.
    auto passed = std::make_shared<cache::Entry>();
    passed->status = sink.status();
    note(Step::store, "none");
    job_.flight->land(std::move(passed), sharing_of(sink.lifetime(), sink.headers()));
    co_return;
  }
  Result<std::shared_ptr<cache::Entry>> made =
      co_await make_entry(shield_, job_, sink, sent_at_, cost);
  if (!made) {
    last_ = {};
    const auto code = static_cast<Errc>(made.error().value());
    last_.failure = failure_of(code, "The origin's answer cannot be used",
                               "the document is not what its registry serves");
    co_await give_up();
    co_return;
  }
  // What ends with the connection may have been cut: it is delivered, but kept only if proven
  // whole.
  const bool whole = sink.framing() != ports::BodyFraming::until_close || job_.digest.has_value();
  cache::Sharing sharing = sharing_of(sink.lifetime(), sink.headers());
  const bool storable = sink.lifetime().storable && whole;
  if (job_.part && sink.status() == 206 && sharing.shareable) {
    // What selects a variant of a part is known only where the whole has told it, and of a part
    // nothing proves that it is what a digest names.
    const bool kept = storable && sharing.vary.empty() && !job_.digest && tell_part(**made);
    if (kept && (*made)->in_file()) {
      const ByteCount most = shield_.memory().largest() / 2;
      co_await shield_.offload().run([entry = *made, most] { take_into_memory(*entry, most); });
    }
    note(Step::store, kept ? publish_part(shield_, job_, *made) : "none");
  } else {
    co_await share_entry(*made, storable && sink.status() != 206, sharing);
    publish_noted(*made, storable && sink.status() != 206, sharing);
  }
  if (job_.method == "HEAD" && job_.stored && sink.status() == 200)
    tell_by_head(shield_, job_, sink.headers(), judge_as("GET", 200, sink.headers()), sent_at_,
                 cost);
  job_.flight->land(std::move(*made), sharing);
}

Task<void> run_fetch(Shield& shield, const Outside& outside, FetchJob job) {
  const async::Executor executor = co_await async::asio::this_coro::executor;
  RunningFetch fetch(shield, outside, job, executor);
  co_await fetch.run();
}

void start_fetch(Shield& shield, const Outside& outside, async::Executor executor,
                 std::string_view task, FetchJob job) {
  const cache::FlightPtr flight = job.flight;
  const bool in_table = job.in_table;
  try {
    shield.tasks().spawn(executor, task, run_fetch(shield, outside, std::move(job)));
  } catch (...) {  // no memory for the coroutine: whoever has joined must hear of it
    flight->fail(failure_of(Errc::internal, "The fetch could not be started", "out of memory"));
    if (in_table) shield.flights().remove(flight);
  }
}

}  // namespace tanggul::shield
