#include "shield/once.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/log.h"
#include "base/random_name.h"
#include "http/prefer.h"
#include "shield/deliver.h"
#include "shield/once_reply.h"
#include "tanggul/base/random.h"

namespace tanggul::shield {
namespace {

namespace json = boost::json;
using Kind = ports::Acquired::Kind;
using Published = ports::SharedStore::Published;

constexpr std::chrono::seconds kLongestWait = 1h;
constexpr std::size_t kLongestBody = 4096;  // of a POST
// While somebody else builds: between two looks, beside the wake that may be lost.
constexpr Duration kFirstPause = 50ms, kLongestPause = 1s;

json::object failed(const OnceFiles::Failure& failure) {
  return {{"state", "failed"}, {"status", failure.status}, {"by", failure.by}};
}

}  // namespace

class Once::Watch {
 public:
  Watch(const Shield& shield, ports::Leases& leases, std::string id, async::WaiterPtr waiter)
      : shield_(shield), leases_(leases), id_(std::move(id)), waiter_(std::move(waiter)) {
    leases_.watch(id_, waiter_);
  }
  ~Watch() {
    // At the end the lane's leases may be gone before what its loop still held.
    if (!shield_.draining()) leases_.unwatch(id_, waiter_);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  const Shield& shield_;
  ports::Leases& leases_;
  const std::string id_;
  const async::WaiterPtr waiter_;
};

struct Once::Asked {
  std::string who;
  std::int64_t status = 1;
};

Task<void> Once::answer(ports::Call& call, ports::Reply& reply) {
  auto path = read_once_path(call.head.target);
  const std::string_view method = call.head.method;
  if (!access_.admits(call)) {
    once_refusal(reply, 403, "once-token", "Not from there",
                 access_.has_token()
                     ? "send the token of once_token_env as Authorization: Bearer"
                     : "set once_token_env in the shield's configuration, and send that token as "
                       "Authorization: Bearer");
  } else if (!path) {
    once_refusal(reply, 400, "once-key", "That is no key",
                 "1 to 1024 bytes of UTF-8, percent-encoded, without control characters");
  } else if (path->verb.empty() && (method == "GET" || method == "HEAD")) {
    co_await get(call, reply, std::move(path->key));
  } else if (path->verb.empty() && method == "POST") {
    co_await claim(call, reply, std::move(path->key));
  } else if (path->verb.empty() && method == "PUT") {
    co_await put(call, reply, std::move(path->key));
  } else if (path->verb == "renew" && method == "POST") {
    co_await renew(call, reply, std::move(path->key));
  } else if (path->verb == "fail" && method == "POST") {
    co_await fail(call, reply, std::move(path->key));
  } else if (path->verb == "release" && method == "POST") {
    release(call, reply, path->key);
  } else {
    once_refusal(reply, path->verb.empty() ? 405 : 404, "once-method", "That cannot be done",
                 "GET, POST and PUT KEY, POST KEY/renew, KEY/fail and KEY/release");
  }
}

Task<void> Once::get(ports::Call& call, ports::Reply& reply, std::string key) {
  cache::EntryPtr entry = co_await files_.find(key, call.waiter);
  if (!entry) {
    ports::Patience patience;
    auto looked = co_await store_.look(once_id(key), patience);
    if (looked.copies.entry)
      entry = co_await files_.bring(key, std::move(looked.copies), call.waiter);
  }
  if (!entry) {
    once_refusal(reply, 404, "once-absent", "Nobody has built it, or it is gone", key);
    co_return;
  }
  Provenance how;
  how.outcome = Outcome::hit;
  how.hit = true;
  deliver_entry(call, reply, entry, how, wall_now());
}

Task<bool> Once::has(std::string key, ports::SharedCopies copies, async::WaiterPtr waiter) {
  const cache::EntryPtr entry = co_await files_.bring(key, std::move(copies), waiter);
  co_return entry != nullptr;
}

Task<void> Once::claim(ports::Call& call, ports::Reply& reply, std::string key) {
  const auto asked = co_await read_asked(call, reply);
  if (!asked) co_return;
  const auto wait = std::min(http::prefer_wait(call.head).value_or(0s), kLongestWait);
  const MonoTime until = MonoClock::now() + wait;
  ports::LeaseRequest request;
  request.id = once_id(key);
  request.token = random_name();
  request.holder = asked->who;
  request.ttl = shield_.routes()->lease_ttl;
  const Watch watch(shield_, leases_, request.id, call.waiter);
  Duration pause = kFirstPause;
  while (!call.waiter->closed()) {
    const bool here = co_await has(key, {}, call.waiter);
    if (here) {
      once_reply(reply, 200, {{"state", "ready"}});
      co_return;
    }
    ports::Patience patience;
    ports::Acquired got = co_await leases_.acquire(request, patience);
    if (got.kind == Kind::unavailable) {
      once_refusal(reply, 503, "once-unavailable", "The cluster's store cannot be reached",
                   "nobody can tell whether somebody builds it");
      co_return;
    }
    if (got.kind == Kind::copied) {
      // Of no use if it does not end here: the next look takes the lease.
      if (got.copies.entry) request.known_entry = got.copies.entry->version;
      if (got.copies.failure) request.known_failure = got.copies.failure->version;
      const auto failure = files_.failure(key, got.copies);
      if (failure) {
        once_reply(reply, 200, failed(*failure));
        co_return;
      }
      const bool brought = co_await has(key, std::move(got.copies), call.waiter);
      if (!brought) continue;
      once_reply(reply, 200, {{"state", "ready"}});
      co_return;
    }
    if (got.kind == Kind::held) {
      // It may have been kept between the look and the lease. Nor is it for one who has left.
      const bool late = files_.at_hand(key) != nullptr;
      if (late || call.waiter->closed()) {
        leases_.release(request.id, request.token);
        if (late) once_reply(reply, 200, {{"state", "ready"}});
        co_return;
      }
      log::info("once {}: {} builds it", printable(key), request.holder);
      once_reply(reply, 200,
                 {{"state", "build"},
                  {"token", request.token},
                  {"fence", got.fence},
                  {"ttl_seconds", seconds(request.ttl)}});
      co_return;
    }
    const MonoTime now = MonoClock::now();
    if (now >= until || shield_.draining()) {
      once_reply(reply, 200, {{"state", "building"}, {"by", got.holder}});
      co_return;
    }
    const Duration jittered =
        kFirstPause + thread_rng().upto(std::max(pause - kFirstPause, Duration::zero()));
    co_await call.waiter->wait_until(std::min(until, now + jittered));
    pause = std::min(2 * pause, kLongestPause);
  }
}

std::optional<Once::Lease> Once::lease_of(const ports::Call& call, ports::Reply& reply) const {
  const auto token = call.head.find("tanggul-lease");
  if (token && !token->empty() && token->size() <= 128) {
    const auto fence = parse_decimal(call.head.find("tanggul-fence").value_or(""));
    return Lease{std::string(*token), fence.value_or(0)};
  }
  once_refusal(reply, 400, "once-lease", "The lease is not told",
               "send as Tanggul-Lease the token that the claim was answered with");
  return std::nullopt;
}

Task<std::optional<Once::Asked>> Once::read_asked(ports::Call& call, ports::Reply& reply) {
  std::string text;
  while (call.body) {
    char piece[1024];
    const auto got = co_await call.body->read_some(piece, sizeof piece);
    if (!got) co_return std::nullopt;  // the connection tells
    if (*got == 0) break;
    text.append(piece, *got);
    if (text.size() <= kLongestBody) continue;
    once_refusal(reply, 413, "once-body", "The body is too long", "a small JSON object will do");
    co_return std::nullopt;
  }
  Asked out;
  std::string_view who;
  boost::system::error_code error;
  const json::value value = text.empty() ? json::value(json::object()) : json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) {
    once_refusal(reply, 400, "once-body", "The body is no JSON object", R"(like {"who": "a:1"})");
    co_return std::nullopt;
  }
  if (const json::value* v = object->if_contains("who"); v != nullptr && v->is_string())
    who = v->get_string();
  if (const json::value* v = object->if_contains("status"); v != nullptr && v->is_int64())
    out.status = v->get_int64();
  out.who = who_of(who, call.client);
  co_return out;
}

Task<void> Once::renew(ports::Call& call, ports::Reply& reply, std::string key) {
  const auto lease = lease_of(call, reply);
  if (!lease) co_return;
  const bool held = co_await still_held(reply, key, *lease);
  if (held) once_reply(reply, 200, {{"state", "held"}});
}

// False: it is not, or nobody knows, and `reply` says so.
Task<bool> Once::still_held(ports::Reply& reply, std::string key, Lease lease) {
  ports::Patience patience;
  const auto renewal = co_await leases_.renew(once_id(key), std::move(lease.token),
                                              shield_.routes()->lease_ttl, patience);
  if (renewal == ports::Leases::Renewal::held) co_return true;
  if (renewal == ports::Leases::Renewal::lost) {
    lost(reply, key, false);
  } else {
    once_refusal(reply, 503, "once-unavailable", "The cluster's store cannot be reached",
                 "whether the lease still holds is not known");
  }
  co_return false;
}

// `told`: there was a result, which goes to nobody.
void Once::lost(ports::Reply& reply, const std::string& key, bool told) {
  if (told) {
    leases_lost_.add();
    log::warn("once {}: a build came too late: its lease had run out", printable(key));
  }
  once_refusal(reply, 409, "once-lease-lost", "The lease is lost",
               "it ran out, and somebody else builds or has built");
}

Task<void> Once::fail(ports::Call& call, ports::Reply& reply, std::string key) {
  const auto lease = lease_of(call, reply);
  if (!lease) co_return;
  const auto asked = co_await read_asked(call, reply);
  if (!asked) co_return;
  if (asked->status < 1 || asked->status > 255) {
    once_refusal(reply, 400, "once-body", "That is no status of a failure", "1 to 255");
    co_return;
  }
  OnceFiles::Failure failure{static_cast<int>(asked->status), asked->who};
  ports::Patience patience;
  const auto how = co_await files_.publish_failure(key, lease->token, failure, patience);
  if (how == Published::yes) {
    log::info("once {}: failed at {} with status {}", printable(key), failure.by, failure.status);
    shield_.once_builds().add({key, failure.by, wall_now(), 0, failure.status});
    once_reply(reply, 200, failed(failure));
  } else if (how == Published::fenced) {
    lost(reply, key, true);
  } else {
    once_refusal(reply, 503, "once-unavailable", "The cluster's store cannot be reached",
                 "the others will build it themselves");
  }
}

void Once::release(ports::Call& call, ports::Reply& reply, const std::string& key) {
  const auto lease = lease_of(call, reply);
  if (!lease) return;
  leases_.release(once_id(key), lease->token);
  once_reply(reply, 200, {{"state", "released"}});
}

}  // namespace tanggul::shield
