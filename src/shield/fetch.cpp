#include "shield/fetch.h"

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "http/date.h"
#include "http/retry_after.h"
#include "http/vary.h"
#include "policy/backoff.h"
#include "shield/flight_sink.h"
#include "shield/store.h"

namespace tanggul::shield {
namespace {

using policy::BreakerSample;

// How one attempt ended.
struct Attempted {
  enum class Kind {
    answered,  // a response to deliver
    failed,    // failure, which another attempt may mend when `retryable`
    refused,   // breaker, limit, pause: nothing was sent
  };
  Kind kind = Kind::failed;
  cache::Failure failure;
  bool retryable = false;
  bool deliverable = false;  // failed, but if nothing better comes its response goes out as it is
  bool at_once = false;      // a dead pooled connection: no sleep before the next
  std::optional<Duration> wait;  // what the origin's Retry-After asks for
};

cache::Failure failure_of(Errc code, int status, std::string title, std::string detail) {
  cache::Failure f;
  f.code = code;
  f.status = status;
  f.title = std::move(title);
  f.detail = std::move(detail);
  return f;
}

int status_of(Errc code) {
  switch (code) {
    case Errc::connect_timeout:
    case Errc::first_byte_timeout:
    case Errc::stalled:
      return 504;
    case Errc::breaker_open:
    case Errc::limit:
      return 503;
    case Errc::paused:
      return 429;
    case Errc::internal:
    case Errc::io:
      return 500;
    case Errc::too_large:
      return 502;
    default:
      return 502;
  }
}

std::string_view code_label(Errc code) {
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

std::string_view code_label(int status) {
  if (status == 429) return "429";
  if (status >= 500) return "5xx";
  if (status >= 400) return "4xx";
  return status >= 300 ? "3xx" : "2xx";
}

class Fetch {
 public:
  Fetch(Shield& shield, ports::Origin& origin, FetchJob job, async::Executor executor)
      : shield_(shield),
        origin_(origin),
        job_(std::move(job)),
        up_(*job_.upstream),
        waiter_(async::Waiter::make(executor)),
        rng_(thread_rng()) {}

  // The scope guard of the contract: whatever happened, the key is free and everybody has an
  // answer.
  ~Fetch() {
    job_.flight->cancellation().bind(nullptr);
    if (!job_.flight->finished())
      job_.flight->fail(failure_of(Errc::internal, 500, "The fetch broke off", "internal error"));
    if (job_.in_table) shield_.flights().remove(job_.flight);
    up_.metrics().flights->add(-1);
  }
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  Task<void> run();

 private:
  bool second_look();
  Task<Attempted> attempt(int number);
  ports::OriginRequest request(int number) const;
  FlightSink::Rules rules() const;
  policy::Lifetime judge(int status, const http::Headers& headers) const;
  cache::Sharing share(const policy::Lifetime& lifetime, const http::Headers& headers) const;
  Attempted judge_attempt(const ports::FetchEnd& end, FlightSink& sink);
  Attempted origin_said(FlightSink& sink);
  void count(const ports::FetchEnd& end, const FlightSink& sink, Duration taken);
  std::optional<Duration> pause_before(const Attempted& last, int number);
  void give_up(Attempted last);
  Task<void> finish(FlightSink& sink);
  bool may_retry() const;
  void note(Step step, std::string_view decision);
  std::size_t mirror(int number) const {
    return (first_mirror_ + static_cast<std::size_t>(number)) % up_.config().upstreams.size();
  }

  Shield& shield_;
  ports::Origin& origin_;
  FetchJob job_;
  Upstream& up_;
  async::WaiterPtr waiter_;
  Rng& rng_;
  WallTime sent_at_;
  MonoTime began_ = MonoClock::now();
  std::optional<FlightSink> sink_;
  bool fresh_connection_ = false;
  std::size_t first_mirror_ = 0;
  Trace trace_;
};

// A flight looks into the cache once more: between a caller's miss and its take-off, another flight
// may have landed. A takes off and lands, B has missed before and joins nothing any more.
bool Fetch::second_look() {
  if (!job_.in_table || job_.key.empty()) return false;
  const WallTime now = wall_now();
  const cache::EntryPtr held = shield_.find(job_.key);
  const bool fresh = held && held->kind == cache::Entry::Kind::response && held != job_.stored &&
                     held->times.expires > now && !held->times.no_cache;
  if (fresh) {
    job_.flight->land(held, {});
    return true;
  }
  const cache::EntryPtr failed = shield_.find(failure_key(job_.key));
  if (!failed || !failed->failure || failed->times.expires <= now) return false;
  job_.flight->fail(*failed->failure);
  return true;
}

void Fetch::note(Step step, std::string_view decision) {
  trace_.note(step, decision);
  std::string line;
  trace_.append_to(line);
  job_.flight->set_trace(std::move(line));
}

bool Fetch::may_retry() const {
  const bool idempotent = job_.method == "GET" || job_.method == "HEAD" ||
                          job_.method == "OPTIONS" || job_.method == "PUT" ||
                          job_.method == "DELETE";
  return idempotent && !(job_.body && job_.body->touched());
}

Task<void> Fetch::run() {
  up_.metrics().flights->add(1);
  up_.metrics().patterns[job_.what.pattern].flights_started->add();
  if (second_look()) co_return;
  first_mirror_ = up_.first_mirror(MonoClock::now());
  for (int number = 0;; ++number) {
    Attempted last = co_await attempt(number);
    if (number > 0) {
      up_.release_retry();
      const bool well = last.kind == Attempted::Kind::answered;
      up_.metrics().retries.find(well ? "success" : "failure")->second->add();
    }
    const std::optional<Duration> pause = pause_before(last, number);
    if (last.kind == Attempted::Kind::answered || (!pause && last.deliverable)) {
      if (last.kind == Attempted::Kind::answered)
        up_.mirror_worked(mirror(number), MonoClock::now());
      co_await finish(*sink_);
      co_return;
    }
    if (!pause) {
      give_up(std::move(last));
      co_return;
    }
    const MonoTime until = MonoClock::now() + *pause;
    while (MonoClock::now() < until && !job_.flight->cancellation().cancelled()) {
      job_.flight->cancellation().bind(waiter_);
      co_await waiter_->wait_until(until);
    }
  }
}

// The sleep before the next attempt, reserved in the budget; nullopt: there is none.
std::optional<Duration> Fetch::pause_before(const Attempted& last, int number) {
  if (last.kind != Attempted::Kind::failed || !last.retryable || !may_retry()) return std::nullopt;
  if (number + 1 >= up_.config().retry.attempts || job_.flight->cancellation().cancelled())
    return std::nullopt;
  const MonoTime now = MonoClock::now();
  Duration pause = Duration::zero();
  if (!last.at_once) {
    pause = policy::full_jitter(up_.config().retry, number, rng_);
    if (last.wait) pause = std::max(pause, *last.wait);
  }
  if (now + pause >= job_.deadline) {
    up_.metrics().retries.find("deadline")->second->add();
    return std::nullopt;
  }
  if (!up_.reserve_retry(now)) {
    up_.metrics().retries.find("budget_exhausted")->second->add();
    return std::nullopt;
  }
  return pause;
}

Task<Attempted> Fetch::attempt(int number) {
  const auto refused = [&](Errc code, std::string_view title, MonoTime retry_at) {
    Attempted a;
    a.kind = Attempted::Kind::refused;
    a.failure = failure_of(code, status_of(code), std::string(title), std::string(title));
    a.failure.retry_at = retry_at;
    return a;
  };
  MonoTime now = MonoClock::now();
  if (const auto until = up_.paused_until(job_.credential, now))
    co_return refused(Errc::paused, "The origin asked for a pause", *until);
  if (!up_.would_admit(now)) note(Step::breaker, "open");
  if (!up_.would_admit(now))
    co_return refused(Errc::breaker_open, "The circuit breaker is open", up_.next_probe(now));

  ports::Cancellation& cancel = job_.flight->cancellation();
  cancel.bind(waiter_);
  const auto place = co_await up_.limit().acquire(job_.client, waiter_, cancel);
  now = MonoClock::now();
  if (!place) note(Step::limit, name(static_cast<Errc>(place.error().value())));
  if (!place) {
    if (place.error() == Errc::cancelled)
      co_return refused(Errc::cancelled, "Nobody waits any more", {});
    co_return refused(Errc::limit, "The queue for the origin is full", now + 1s);
  }
  // Asked again after the queue: the breaker may have opened meanwhile, and only now is the ticket
  // of a half-open probe worth taking.
  const auto admission = up_.admit(now, rng_);
  if (!admission.admitted) {
    up_.limit().release(Duration::zero(), true);
    co_return refused(Errc::breaker_open, "The circuit breaker is open", admission.retry_at);
  }

  note(Step::breaker, admission.ticket.probe ? "probe" : "closed");
  up_.attempt_started(now);
  sent_at_ = wall_now();
  const ports::OriginRequest sent = request(number);
  sink_.emplace(
      *job_.flight, rules(),
      [this](int status, const http::Headers& h) { return judge(status, h); },
      [this](const policy::Lifetime& l, const http::Headers& h) { return share(l, h); });
  const ports::FetchEnd end = co_await origin_.fetch(sent, *sink_, cancel);
  const Duration taken = MonoClock::now() - now;
  const Attempted result = judge_attempt(end, *sink_);

  const bool bad = result.kind == Attempted::Kind::failed && !result.at_once &&
                   result.failure.code != Errc::cancelled && result.failure.code != Errc::paused;
  up_.limit().release(taken, bad);
  BreakerSample sample = bad ? BreakerSample::failure : BreakerSample::success;
  if (result.at_once || result.failure.code == Errc::cancelled) sample = BreakerSample::ignored;
  if (sink_->has_head() && sink_->status() >= 500) sample = BreakerSample::failure;
  up_.record(admission.ticket, sample, MonoClock::now(), rng_);
  count(end, *sink_, taken);
  const Errc code = sink_->refusal().value_or(end.error.value_or(Errc{}));
  note(Step::origin, code == Errc{} ? std::to_string(sink_->status()) : std::string(name(code)));
  co_return result;
}

ports::OriginRequest Fetch::request(int number) const {
  ports::OriginRequest r;
  const OriginConfig& config = up_.config();
  const UpstreamUrl& to = config.upstreams[mirror(number)];
  r.method = job_.method;
  r.base = to.base;
  r.target = to.path + job_.plan.target;
  r.headers = job_.headers;
  if (!job_.plan.url.empty()) point_elsewhere(job_.plan.url, to, config, r);
  if (job_.stored && job_.stored->revalidatable) {
    if (!job_.stored->origin_etag.empty()) r.headers.set("If-None-Match", job_.stored->origin_etag);
    if (const auto modified = job_.stored->headers.find("last-modified"))
      r.headers.set("If-Modified-Since", *modified);
  }
  r.body = job_.body.get();
  r.timeouts = config.timeouts;
  r.tls = config.tls;
  r.http2 = config.http2;
  r.decode = job_.what.document;
  r.fresh_connection = fresh_connection_;
  r.follow_redirects = job_.what.way == registry::Classified::Way::cached;
  r.credential_headers = config.kind->credential_headers();
  return r;
}

FlightSink::Rules Fetch::rules() const {
  FlightSink::Rules rules;
  const bool pass = job_.what.way == registry::Classified::Way::pass;
  rules.document = job_.what.document && job_.method == "GET";
  rules.pass = pass;
  rules.as_sent = pass || up_.config().negative.server_error == Duration::zero();
  rules.revalidating = job_.stored != nullptr;
  rules.max_object = up_.config().max_object;
  rules.digest = job_.digest;
  return rules;
}

policy::Lifetime Fetch::judge(int status, const http::Headers& headers) const {
  policy::ResponseContext context;
  context.resource = job_.what.resource;
  context.registry = up_.config().kind->is_registry();
  context.had_authorization = job_.had_authorization;
  context.method_get = job_.method == "GET" && job_.what.way == registry::Classified::Way::cached;
  return policy::judge(status, headers, context, up_.config().freshness, sent_at_, wall_now(),
                       rng_);
}

cache::Sharing Fetch::share(const policy::Lifetime& lifetime, const http::Headers& headers) const {
  cache::Sharing sharing;
  sharing.shareable = lifetime.shareable;
  if (up_.config().kind->is_registry()) return sharing;  // their variants are in the key
  sharing.vary = http::vary_names(headers);
  sharing.vary_values = http::vary_values(sharing.vary, job_.headers);
  return sharing;
}

Attempted Fetch::judge_attempt(const ports::FetchEnd& end, FlightSink& sink) {
  Attempted a;
  const auto failed = [&](Errc code, std::string detail) {
    a.failure = failure_of(code, status_of(code), "", std::move(detail));
    a.retryable = !sink.exposed();
    return a;
  };
  const Errc code = sink.refusal().value_or(end.error.value_or(Errc{}));
  if (code != Errc{}) {
    a.at_once = code == Errc::stale_connection;
    fresh_connection_ = a.at_once;
    auto result = failed(code, end.detail);
    if (code == Errc::cancelled || code == Errc::too_large || code == Errc::io ||
        code == Errc::redirect || code == Errc::forbidden_address || code == Errc::bad_input)
      result.retryable = false;
    result.at_once = a.at_once;
    return result;
  }
  if (!sink.digest_fits()) {
    note(Step::verify, "mismatch");
    auto result = failed(Errc::digest_mismatch, "the body does not have the digest it should");
    result.retryable = false;
    return result;
  }
  if (sink.status() == 429 || sink.status() >= 500) return origin_said(sink);
  a.kind = Attempted::Kind::answered;
  return a;
}

// A failure that the origin itself reports.
Attempted Fetch::origin_said(FlightSink& sink) {
  Attempted a;
  const auto asked = sink.headers().find("retry-after");
  if (asked) a.wait = http::parse_retry_after(*asked, wall_now());
  const bool pass = job_.what.way == registry::Classified::Way::pass;
  if (sink.status() == 429) {
    const MonoTime until = MonoClock::now() + a.wait.value_or(1s);
    up_.pause(job_.credential, until);
    a.failure =
        failure_of(Errc::paused, 429, "The origin asked for a pause", "429 from the origin");
    a.failure.retry_at = until;
    if (pass || sink.exposed()) a.kind = Attempted::Kind::answered;
    return a;
  }
  a.failure = failure_of(Errc::reset, sink.status(), "The origin failed",
                         std::to_string(sink.status()) + " from the origin");
  a.failure.from_origin = true;
  a.retryable = FlightSink::retryable_status(sink.status()) && !sink.exposed();
  a.deliverable = sink.body_kept();
  if (pass || sink.exposed()) a.kind = Attempted::Kind::answered;
  return a;
}

void Fetch::count(const ports::FetchEnd& end, const FlightSink& sink, Duration taken) {
  const auto& by_code = up_.metrics().origin_requests;
  up_.metrics().origin_duration->observe(taken);
  if (end.error == Errc::cancelled || end.error == Errc::stale_connection) return;
  if (end.error) {
    by_code.find(code_label(*end.error))->second->add();
    up_.note_error(std::string(name(*end.error)) + ": " + end.detail);
    return;
  }
  by_code.find(code_label(sink.status()))->second->add();
  if (sink.status() >= 500 || sink.status() == 429)
    up_.note_error(std::to_string(sink.status()) + " from the origin");
}

void Fetch::give_up(Attempted last) {
  cache::Failure failure = std::move(last.failure);
  const Now now = Now::take();
  if (failure.title.empty()) {
    failure.title = status_of(failure.code) == 504 ? "The origin did not answer in time"
                                                   : "The origin cannot be reached";
    if (failure.code == Errc::truncated) failure.title = "The origin's answer was cut short";
    if (failure.code == Errc::digest_mismatch) failure.title = "The origin's answer is corrupt";
    if (failure.code == Errc::too_large) failure.title = "The origin's answer is too large";
  }
  if (last.kind == Attempted::Kind::failed && failure.code != Errc::cancelled &&
      failure.code != Errc::paused && !job_.key.empty()) {
    static const http::Headers kNone;
    const Duration keep = failure.from_origin
                              ? policy::server_error_ttl(sink_ ? sink_->headers() : kNone,
                                                         up_.config().negative, now.wall, rng_)
                              : policy::unreachable_ttl(up_.config().negative, rng_);
    if (keep > Duration::zero()) {
      failure.retry_at = now.mono + keep;
      remember_failure(shield_, job_.key, failure, now.wall, keep);
    }
  }
  job_.flight->fail(std::move(failure));
}

Task<void> Fetch::finish(FlightSink& sink) {
  const Duration cost = MonoClock::now() - began_;
  if (sink.status() == 304 && job_.stored) {
    const auto fresh = updated(*job_.stored, sink.headers());
    const policy::Lifetime lifetime = judge(fresh->status, fresh->headers);
    give_life(*fresh, lifetime, sent_at_, cost);
    const cache::Sharing sharing = share(lifetime, fresh->headers);
    note(Step::store, publish(shield_, job_, fresh, lifetime.storable, sharing));
    job_.flight->land(fresh, sharing);
    co_return;
  }
  Result<std::shared_ptr<cache::Entry>> made =
      co_await make_entry(shield_, job_, sink, sent_at_, cost);
  if (!made) {
    Attempted a;
    const auto code = static_cast<Errc>(made.error().value());
    a.failure = failure_of(code, status_of(code), "The origin's answer cannot be used",
                           "the document is not what its registry serves");
    give_up(std::move(a));
    co_return;
  }
  // What ends with the connection may have been cut: it is delivered, but kept only if proven
  // whole.
  const bool whole = sink.framing() != ports::BodyFraming::until_close || job_.digest.has_value();
  const cache::Sharing sharing = share(sink.lifetime(), sink.headers());
  note(Step::store, publish(shield_, job_, *made, sink.lifetime().storable && whole, sharing));
  job_.flight->land(std::move(*made), sharing);
}

}  // namespace

Task<void> run_fetch(Shield& shield, ports::Origin& origin, FetchJob job) {
  const async::Executor executor = co_await async::asio::this_coro::executor;
  Fetch fetch(shield, origin, std::move(job), executor);
  co_await fetch.run();
}

}  // namespace tanggul::shield
