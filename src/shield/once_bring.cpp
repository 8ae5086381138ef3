// The file that another node of the cluster has taken.
#include <algorithm>
#include <boost/json.hpp>

#include "cache/copy_format.h"
#include "shield/attempt.h"
#include "shield/cluster.h"
#include "shield/once_files.h"
#include "shield/once_key.h"
#include "shield/peer_fetch.h"
#include "tanggul/base/random.h"

namespace tanggul::shield {
namespace {

constexpr Duration kPatience = 10s;  // without a byte of a neighbour

// One at a time brings it here; it has ended for all when this goes.
class Bringing {
 public:
  Bringing(Shield& shield, cache::FlightPtr flight) : shield_(shield), flight_(std::move(flight)) {}
  ~Bringing() {
    if (!flight_->finished())
      flight_->fail(failure_of(Errc::refused, "No node has it any more", "nobody sent it whole"));
    shield_.flights().remove(flight_);
    flight_->detach();
  }
  Bringing(const Bringing&) = delete;
  Bringing& operator=(const Bringing&) = delete;

 private:
  Shield& shield_;
  cache::FlightPtr flight_;
};

}  // namespace

// A node that is alone has nobody to bring it from.
Task<cache::EntryPtr> OnceFiles::bring_from_elsewhere(std::string key, ports::SharedCopies copies,
                                                      std::string sha256, bool settled,
                                                      async::WaiterPtr waiter) {
  if (!outside_.clustered()) co_return nullptr;
  const auto joined = shield_.flights().join(once_cache_key(key), shield_.spool_directory());
  const cache::FlightPtr flight = joined.flight;
  if (joined.leader) {
    const Bringing bringing(shield_, flight);
    cache::EntryPtr entry =
        co_await ask_holders(key, std::move(copies), std::move(sha256), settled, flight);
    if (entry) flight->land(entry, {});
    co_return entry;
  }
  const cache::WatchScope scope(*flight, waiter);
  cache::Flight::Glance seen = flight->glance();
  while (!flight->finished() && !waiter->closed()) {
    if (flight->watch(seen, waiter)) co_await waiter->wait_until(kForever);
    seen = flight->glance();
  }
  cache::EntryPtr entry = flight->view().entry;
  flight->detach();
  co_return entry;
}

Task<cache::EntryPtr> OnceFiles::ask_holders(std::string key, ports::SharedCopies copies,
                                             std::string sha256, bool settled,
                                             cache::FlightPtr flight) {
  std::shuffle(copies.holders.begin(), copies.holders.end(),
               std::mt19937(static_cast<unsigned>(thread_rng().bits())));
  const cache::Generation generation = shield_.purges().now();
  FlightSink::Rules rules;
  rules.max_object = shield_.routes()->once_max_object;
  rules.digest = registry::Expected{DigestKind::sha256, sha256};
  for (const std::string& holder : copies.holders) {
    if (holder == advertise_) continue;
    PeerSink sink(
        [](const http::Headers&) { return true; },
        [&](const http::Headers&) {
          return std::make_unique<FlightSink>(
              *flight, rules, [](int, const http::Headers&) { return policy::Lifetime{}; },
              [](const policy::Lifetime&, const http::Headers&) { return cache::Sharing{}; });
        });
    PeerRequest request{PeerRequest::What::entry, holder, once_cache_key(key), kPatience};
    const ports::FetchEnd end = co_await ask_peer(outside_, request, sink, flight->cancellation());
    if (end.error) {
      if (sink.kind() == PeerSink::Kind::streaming) co_return nullptr;  // its beginning is spooled
      continue;
    }
    std::optional<Result<cache::EntryPtr>> made;
    if (sink.kind() == PeerSink::Kind::streaming && sink.sink()->status() == 200 &&
        sink.sink()->digest_fits()) {
      const std::string by(sink.sink()->headers().find("x-tanggul-built-by").value_or(""));
      const auto entry_of = [&] { made = make(flight->spool(), sha256, by, generation); };
      co_await shield_.offload().run(entry_of);
    } else if (sink.kind() == PeerSink::Kind::copy) {
      auto copy = cache::decode_copy(sink.take_copy(), Now::take());
      if (copy && copy->entry && copy->entry->forms.front().etag == once_etag(sha256)) {
        copy->entry->generation = generation;
        made = cache::EntryPtr(std::move(copy->entry));
      }
    }
    if (made && *made) co_return take(key, made->value(), copies.entry->version);
    if (settled) store_.remove_holder(once_id(key), holder);
  }
  co_return nullptr;
}

cache::EntryPtr OnceFiles::take(const std::string& key, cache::EntryPtr entry,
                                std::uint64_t version) {
  if (shield_.store(once_cache_key(key), entry))
    store_.add_holder(once_id(key), version, advertise_);
  return entry;
}

}  // namespace tanggul::shield
