#include "shield/peer_endpoint.h"

#include "base/base64.h"
#include "shield/attempt.h"
#include "shield/deliver.h"
#include "shield/flight_reader.h"
#include "shield/flight_sink.h"
#include "shield/peer_fetch.h"
#include "shield/shared_cache.h"

namespace tanggul::shield {
namespace {

constexpr std::string_view kPeer = "/.tanggul/peer/";
constexpr std::string_view kFlight = "/.tanggul/peer/flight/";
constexpr Duration kPatience = 5s;  // for the disk
// Above this a copy is written on the pool: a thread's other connections must not wait for it.
constexpr ByteCount kOffloadFrom = 1_MiB;

// Counts a caller out that was counted in, unless somebody else has taken that over.
class Attached {
 public:
  explicit Attached(cache::FlightPtr flight) : flight_(std::move(flight)) {}
  ~Attached() {
    if (flight_) flight_->detach();
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  void pass_on() noexcept { flight_.reset(); }

 private:
  cache::FlightPtr flight_;
};

void begin(std::string& head, int status, const http::Headers& headers) {
  head.append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  head.append(http::reason_phrase(status)).append("\r\n");
  for (const auto& h : headers)
    if (!iequals(std::string_view(h.name).substr(0, peer_field::kPrefix.size()),
                 peer_field::kPrefix))
      head.append(h.name).append(": ").append(h.value).append("\r\n");
}

void field(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

void tell_variant(std::string& head, const cache::Variant& variant) {
  std::string names;
  for (const std::string& name : variant.names) names.append(name).append("\n");
  if (names.empty()) return;
  field(head, peer_field::kVary, to_base64(names));
  field(head, peer_field::kValues, to_base64(variant.values));
}

void own_head(ports::Reply& reply, std::string head) {
  auto owned = std::make_shared<std::string>(std::move(head));
  reply.head = *owned;
  reply.owner = std::move(owned);
}

void deliver_copy(ports::Reply& reply, std::string copy, bool keep) {
  auto owned = std::make_shared<std::pair<std::string, std::string>>();
  auto& [head, body] = *owned;
  body = std::move(copy);
  head = "HTTP/1.1 200 OK\r\n";
  field(head, peer_field::kCopy, "copy");
  if (keep) field(head, peer_field::kKeep, "yes");
  field(head, "Content-Type", "application/octet-stream");
  field(head, "Content-Length", std::to_string(body.size()));
  reply.status = 200;
  reply.head = head;
  reply.body = body;
  reply.owner = std::move(owned);
}

void deliver_nothing(ports::Reply& reply) {
  reply.status = 404;
  own_head(reply, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n");
}

void deliver_unshared(ports::Reply& reply) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  field(head, peer_field::kCopy, "unshared");
  field(head, "Content-Length", "0");
  reply.status = 200;
  own_head(reply, std::move(head));
}

}  // namespace

bool PeerEndpoint::admits(const ports::Call& call) const {
  if (!call.head.target.starts_with(kPeer) || call.head.method != "GET") return false;
  const auto auth = call.head.find(PeerAuth::kHeader);
  if (!auth) return false;
  const auto age = cluster_.auth().age(*auth, call.head.method, call.head.target, wall_now());
  if (age && !PeerAuth::good(*age)) cluster_.note_skew(*age);
  return age && PeerAuth::good(*age);
}

Task<void> PeerEndpoint::answer(ports::Call& call, ports::Reply& reply) {
  reply.result = name(Outcome::pass);
  const auto told = call.head.find(peer_field::kKey);
  const auto key = told ? from_base64(*told) : std::nullopt;
  const std::string_view target = call.head.target;
  if (!key || target.substr(target.rfind('/') + 1) != shared_id(*key)) {
    deliver_nothing(reply);
    co_return;
  }
  if (target.starts_with(kFlight)) {
    co_await answer_flight(call, reply, *key);
  } else {
    co_await answer_entry(call, reply, *key);
  }
}

Task<void> PeerEndpoint::answer_flight(ports::Call& call, ports::Reply& reply, std::string key) {
  const cache::FlightPtr flight = shield_.flights().find(key);
  // One that itself follows another node would lead in circles.
  if (!flight || flight->borrowed() || !flight->attach()) {
    deliver_nothing(reply);
    co_return;
  }
  const async::WaiterPtr waiter = call.waiter;
  const cache::WatchScope scope(*flight, waiter);
  cache::Flight::Glance seen = flight->glance();
  while (seen.phase == cache::Flight::Phase::fetching && !waiter->closed()) {
    if (flight->watch(seen, waiter)) co_await waiter->wait_until(kForever);
    seen = flight->glance();
  }
  const cache::Flight::View view = flight->view();
  co_await deliver_view(reply, flight, view, std::move(key));
}

// Counted in by the caller, and out by whatever reads, or here.
Task<void> PeerEndpoint::deliver_view(ports::Reply& reply, cache::FlightPtr flight,
                                      cache::Flight::View view, std::string key) {
  using Phase = cache::Flight::Phase;
  Attached attached(flight);
  if (view.phase == Phase::fetching) {  // the other node has gone
    deliver_nothing(reply);
    co_return;
  }
  if (view.phase == Phase::failed && !view.head) {
    deliver_failed(reply, *flight, *view.failure);
    co_return;
  }
  const bool shareable = view.sharing && view.sharing->shareable && view.sharing->alike.empty();
  if (!shareable || (view.phase == Phase::landed && !flight->whole())) {
    deliver_unshared(reply);
    co_return;
  }
  const cache::Variant variant{view.sharing->vary, view.sharing->vary_values};
  if (view.phase == Phase::landed && !view.head) {
    co_await deliver_stored(reply, std::move(key), view.entry, variant, view.sharing->stored);
    co_return;
  }
  const cache::OpenHead& open = *view.head;
  std::string head;
  begin(head, open.status, open.headers);
  field(head, peer_field::kCopy, "stream");
  tell_variant(head, variant);
  if (open.length) field(head, "Content-Length", std::to_string(*open.length));
  reply.status = open.status;
  reply.length = open.length;
  own_head(reply, std::move(head));
  reply.stream = std::make_unique<FlightReader>(flight);  // counts the caller out
  attached.pass_on();
}

// What is this node's own trouble, or was purged meanwhile, the other finds out for itself.
void PeerEndpoint::deliver_failed(ports::Reply& reply, const cache::Flight& flight,
                                  const cache::Failure& failure) const {
  if (!is_remembered(failure.code) || flight.store_forbidden()) return deliver_nothing(reply);
  const Duration left = std::max<Duration>(failure.retry_at - MonoClock::now(), Duration::zero());
  deliver_copy(reply, cache::encode_copy(failure, wall_now() + left, cluster_.place()), true);
}

Task<void> PeerEndpoint::answer_entry(ports::Call& call, ports::Reply& reply, std::string key) {
  const cache::EntryPtr entry =
      co_await shield_.recall(key, call.waiter, MonoClock::now() + kPatience);
  if (!entry || entry->kind != cache::Entry::Kind::response || entry->part) {
    deliver_nothing(reply);
    co_return;
  }
  co_await deliver_stored(reply, std::move(key), entry, {}, true);
}

// One body goes as it lies, in memory or in a file; a document in its forms, and what is small, as
// a copy.
Task<void> PeerEndpoint::deliver_stored(ports::Reply& reply, std::string key, cache::EntryPtr entry,
                                        cache::Variant variant, bool keep) {
  const ByteCount size = cache::bodies_of(*entry);
  if (entry->forms.size() == 1 && size > FlightSink::kHeld) {
    deliver_body(reply, entry, variant);
    co_return;
  }
  if (entry->in_file()) {
    deliver_nothing(reply);
    co_return;
  }
  std::string copy;
  const auto encode = [&] {
    copy = cache::encode_copy(*entry, key, variant, cluster_.place(), false);
  };
  if (size > kOffloadFrom) {
    co_await shield_.offload().run(encode);
  } else {
    encode();
  }
  if (copy.empty()) {
    deliver_nothing(reply);
  } else {
    deliver_copy(reply, std::move(copy), keep);
  }
}

void PeerEndpoint::deliver_body(ports::Reply& reply, const cache::EntryPtr& entry,
                                const cache::Variant& variant) {
  const cache::Body& body = entry->forms.front().body;
  auto owned = std::make_shared<std::pair<std::string, cache::EntryPtr>>();
  owned->second = entry;
  std::string& head = owned->first;
  begin(head, entry->status, entry->headers);
  field(head, peer_field::kCopy, "stream");
  tell_variant(head, variant);
  field(head, peer_field::kStored,
        std::to_string(entry->times.stored_at.time_since_epoch().count()));
  field(head, "Content-Length", std::to_string(size_of(body)));
  reply.status = entry->status;
  reply.length = size_of(body);
  reply.head = head;
  if (const auto* file = std::get_if<cache::FileBody>(&body)) {
    reply.stream = std::make_unique<FileReader>(*file);
  } else {
    reply.body = *std::get<SharedBytes>(body);
  }
  reply.owner = std::move(owned);
}

}  // namespace tanggul::shield
