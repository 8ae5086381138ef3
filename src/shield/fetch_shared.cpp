// What a fetch does with the other nodes of the cluster: leaves the origin to whoever holds the
// lease, takes what that one brings, and publishes what it has brought itself.
#include <algorithm>

#include "base/base64.h"
#include "http/vary.h"
#include "shield/cluster.h"
#include "shield/peer_fetch.h"
#include "shield/running_fetch.h"
#include "shield/store.h"

namespace tanggul::shield {
namespace {

// Without a byte for so long it is asked whether the holder still has the lease.
constexpr Duration kPeerPatience = 10s;
// Above this a copy is taken apart on the pool: a thread's other connections must not wait for it.
constexpr ByteCount kOffloadFrom = 1_MiB;

cache::Variant variant_told(const http::Headers& told) {
  cache::Variant variant;
  const auto names = from_base64(told.find(peer_field::kVary).value_or("")).value_or("");
  for (std::size_t at = 0; at < names.size();) {
    const auto end = std::min(names.find('\n', at), names.size());
    variant.names.push_back(names.substr(at, end - at));
    at = end + 1;
  }
  variant.values = from_base64(told.find(peer_field::kValues).value_or("")).value_or("");
  return variant;
}

cache::Sharing sharing_with(const cache::Variant& variant, bool stored) {
  cache::Sharing sharing;
  sharing.vary = variant.names;
  sharing.vary_values = variant.values;
  sharing.stored = stored;
  return sharing;
}

// The body that is here already is the one that a copy tells of.
bool has_body_of(const cache::EntryPtr& stored, const SharedCache::Read& read) {
  if (!stored || stored->origin_etag.empty() || stored->origin_etag.starts_with("W/") ||
      stored->origin_etag != read.entry->origin_etag || stored->forms.size() != read.sizes.size())
    return false;
  for (std::size_t i = 0; i < read.sizes.size(); ++i)
    if (size_of(stored->forms[i].body) != read.sizes[i]) return false;
  return true;
}

}  // namespace

bool RunningFetch::is_shared() const {
  return outside_.clustered() && job_.in_table && !job_.key.empty() && !job_.solo && !job_.part &&
         job_.method == "GET" && job_.what.way == registry::Classified::Way::cached;
}

Task<bool> RunningFetch::share() {
  together_ = std::make_unique<Together>(shield_, outside_, job_, waiter_, rng_);
  for (;;) {
    LeaseStep::Turn turn = co_await together_->step.next();
    Shared then = Shared::fetch;
    switch (turn.kind) {
      case LeaseStep::Turn::Kind::fetch:
        together_->lease = std::move(turn.lease);
        job_.flight->set_borrowed(false);  // whatever has been brought so far: this fetch is ours
        note(Step::lease, together_->lease ? "held" : "none");
        break;
      case LeaseStep::Turn::Kind::given_up:
        job_.flight->fail(failure_of(Errc::cancelled, "Nobody waits any more", ""));
        co_return true;
      case LeaseStep::Turn::Kind::failed:
        note(Step::lease, "failed");
        then = land_failure(std::move(*turn.failure));
        break;
      case LeaseStep::Turn::Kind::copied:
        note(Step::lease, "copied");
        then = co_await take_copy(std::move(*turn.read));
        break;
      case LeaseStep::Turn::Kind::follow:
        note(Step::lease, "follow");
        then = co_await follow(std::move(turn.holder));
        break;
    }
    if (then == Shared::landed) co_return true;
    if (then == Shared::fetch) co_return false;
  }
}

// Of another variant than this request's: that one is asked for from now on.
bool RunningFetch::is_ours(const cache::Variant& variant) {
  const std::string own = http::vary_values(variant.names, job_.headers);
  if (variant.names.empty() || own == variant.values) return true;
  const std::string flight_key = job_.flight->key();
  const std::string suffix = flight_key.substr(std::min(flight_key.size(), job_.key.size()));
  job_.key = variant_key(job_.primary, own);
  together_->step.ask_for(job_.key + suffix);
  return false;
}

RunningFetch::Shared RunningFetch::land_failure(cache::Failure failure) {
  job_.flight->set_borrowed(true);
  const Now now = Now::take();
  if (failure.retry_at > now.mono && !job_.flight->store_forbidden())
    remember_failure(shield_, job_.flight->key(), failure, now.wall, failure.retry_at - now.mono);
  // Purged while it was being remembered: see publish().
  if (job_.flight->store_forbidden()) shield_.forget_failure(job_.flight->key());
  job_.flight->fail(std::move(failure));
  return Shared::landed;
}

RunningFetch::Shared RunningFetch::land_copy(const SharedCache::Read& read, bool keep) {
  const bool forbidden =
      job_.flight->store_forbidden() || shield_.purges().outdated(read.key, *read.entry);
  const bool kept =
      keep && !forbidden && !together_->step.copies().keep(job_.primary, read).empty();
  job_.flight->set_borrowed(true);
  note(Step::store, kept ? "copy" : "none");
  job_.flight->land(read.entry, sharing_with(read.variant, kept));
  return Shared::landed;
}

Task<RunningFetch::Shared> RunningFetch::take_copy(SharedCache::Read read) {
  if (!is_ours(read.variant)) {
    if (!read.elsewhere) together_->step.copies().keep(job_.primary, read);
    co_return Shared::again;
  }
  if (read.elsewhere && !together_->resumption && has_body_of(job_.stored, read)) {
    read.entry->forms = job_.stored->forms;
    cache::encode_heads(*read.entry);
    read.elsewhere = false;
    outside_.store->add_holder(together_->step.id(), read.entry->version.get(),
                               outside_.cluster->config().advertise);
  }
  if (!read.elsewhere && !together_->resumption) co_return land_copy(read, true);
  const Shared brought = co_await bring(std::move(read));
  co_return brought;
}

// The body lies at one of the holders, or the flight has begun to bring it already.
Task<RunningFetch::Shared> RunningFetch::bring(SharedCache::Read read) {
  const std::string& own = outside_.cluster->config().advertise;
  std::vector<std::string> holders = read.holders;
  std::shuffle(holders.begin(), holders.end(), std::mt19937(static_cast<unsigned>(rng_.bits())));
  const std::string key =
      read.variant.names.empty() ? read.key : variant_key(read.key, read.variant.values);
  for (const std::string& holder : holders) {
    if (holder != own) {
      const std::string stored =
          std::to_string(read.entry->times.stored_at.time_since_epoch().count());
      PeerSink sink(
          [&](const http::Headers& told) {
            const auto at = told.find(peer_field::kStored);
            return !at || *at == stored;
          },
          [&](const http::Headers&) { return sink_of(read.variant); });
      PeerRequest request{PeerRequest::What::entry, holder, key, kPeerPatience};
      sent_at_ = wall_now();
      const ports::FetchEnd end =
          co_await ask_peer(outside_, request, sink, job_.flight->cancellation());
      if (sink.kind() == PeerSink::Kind::copy && !end.error) {
        const Shared then = co_await take_peer_copy(sink.take_copy(), true, &read);
        if (then == Shared::landed) {
          outside_.store->add_holder(together_->step.id(), read.entry->version.get(), own);
          co_return then;
        }
      }
      if (sink.kind() == PeerSink::Kind::streaming) {
        sink_ = sink.take_sink();
        const Shared then = co_await take_stream(end, read);
        if (then != Shared::again) co_return then;
        continue;  // it broke off, and says nothing of what it has
      }
    }
    outside_.store->remove_holder(together_->step.id(), holder);
  }
  co_return Shared::again;
}

std::unique_ptr<FlightSink> RunningFetch::sink_of(cache::Variant variant) {
  together_->streamed = variant;
  job_.flight->set_borrowed(true);
  return std::make_unique<FlightSink>(
      *job_.flight, rules(),
      [this](int status, const http::Headers& h) { return judge(status, h); },
      [variant = std::move(variant)](const policy::Lifetime&, const http::Headers&) {
        return sharing_with(variant, false);
      });
}

Task<RunningFetch::Shared> RunningFetch::follow(std::string holder) {
  if (holder.empty() || holder == outside_.cluster->config().advertise) co_return Shared::again;
  cache::Variant variant;
  PeerSink sink(
      [&](const http::Headers& told) {
        variant = variant_told(told);
        return http::vary_values(variant.names, job_.headers) == variant.values;
      },
      [&](const http::Headers&) { return sink_of(variant); });
  PeerRequest request{PeerRequest::What::flight, std::move(holder), together_->step.flight_key(),
                      kPeerPatience};
  sent_at_ = wall_now();
  const ports::FetchEnd end =
      co_await ask_peer(outside_, request, sink, job_.flight->cancellation());
  switch (sink.kind()) {
    case PeerSink::Kind::nothing:
      // It has said nothing yet, which may be the origin's slowness: as long as it has the lease it
      // is asked again.
      if (end.error == Errc::first_byte_timeout) together_->step.follow_again();
      break;
    case PeerSink::Kind::unshared:
      co_return Shared::fetch;
    case PeerSink::Kind::other:
      is_ours(variant);
      break;
    case PeerSink::Kind::copy:
      if (!end.error) {
        const bool keep = sink.told().has(peer_field::kKeep);
        const Shared then = co_await take_peer_copy(sink.take_copy(), keep, nullptr);
        co_return then;
      }
      break;
    case PeerSink::Kind::streaming: {
      sink_ = sink.take_sink();
      const Shared then = co_await take_stream(end, std::nullopt);
      co_return then;
    }
  }
  co_return Shared::again;
}

// `wanted`: the copy that told of it; null: it is what a flight has brought.
Task<RunningFetch::Shared> RunningFetch::take_peer_copy(std::string bytes, bool keep,
                                                        const SharedCache::Read* wanted) {
  if (together_->resumption) co_return Shared::again;
  std::optional<Result<cache::Copy>> copy;
  if (bytes.size() > kOffloadFrom) {
    co_await shield_.offload().run([&] { copy = cache::decode_copy(bytes, Now::take()); });
  } else {
    copy = cache::decode_copy(bytes, Now::take());
  }
  if (!*copy) co_return Shared::again;
  cache::Copy& got = copy->value();
  const Cluster& cluster = *outside_.cluster;
  if (got.failure) {
    if (cluster.outdated_failure(got.asked_at)) co_return Shared::again;
    co_return land_failure(std::move(*got.failure));
  }
  if (got.elsewhere || cluster.outdated(got.key, *got.entry, got.asked_at)) co_return Shared::again;
  if (wanted != nullptr && got.entry->times.stored_at != wanted->entry->times.stored_at)
    co_return Shared::again;
  SharedCache::Read read;
  read.key = std::move(got.key);
  read.entry = std::move(got.entry);
  read.entry->generation = job_.generation;
  if (wanted != nullptr) read.entry->version.set(wanted->entry->version.get());
  read.variant = wanted != nullptr ? wanted->variant : std::move(got.variant);
  if (!is_ours(read.variant)) co_return Shared::again;
  co_return land_copy(read, keep);
}

// What another node has sent into the flight. `read`: the copy that tells of it, where that is
// known before its end.
Task<RunningFetch::Shared> RunningFetch::take_stream(ports::FetchEnd end,
                                                     std::optional<SharedCache::Read> read) {
  last_ = judge_attempt(end, *sink_, false);
  if (last_.kind == Attempted::Kind::answered) {
    co_await land_streamed(std::move(read));
    co_return Shared::landed;
  }
  // Ours, or the body's own fault: another node would bring the same.
  const bool fatal = sink_->refusal() || last_.failure.code == Errc::digest_mismatch ||
                     last_.failure.code == Errc::cancelled;
  if (sink_->exposed() && !fatal) together_->resumption = sink_->resumption();
  if (fatal || (sink_->exposed() && !together_->resumption)) {
    job_.flight->fail(std::move(last_.failure));
    co_return Shared::landed;
  }
  if (end.error == Errc::stalled) together_->step.follow_again();
  co_return Shared::again;
}

// Its times, as the node that stored it has drawn them, are in the copy: what has none is delivered
// and not stored.
Task<void> RunningFetch::land_streamed(std::optional<SharedCache::Read> read) {
  if (!read && job_.flight->whole()) {
    ports::Patience patience;
    const ports::SharedStore::Looked looked =
        co_await outside_.store->look(together_->step.id(), patience);
    read = together_->step.copies().read(looked.copies, job_.generation);
    // What was published before tells nothing of what has just come.
    if (read && read->entry->version.get() != together_->step.holders_version()) read.reset();
  }
  if (!job_.flight->whole()) {
    auto passed = std::make_shared<cache::Entry>();
    passed->status = sink_->status();
    job_.flight->land(std::move(passed), sharing_with(together_->streamed, false));
    co_return;
  }
  auto made = co_await make_entry(shield_, job_, *sink_, sent_at_, MonoClock::now() - began_);
  if (!made) {
    const auto code = static_cast<Errc>(made.error().value());
    job_.flight->fail(failure_of(code, "The origin's answer cannot be used", ""));
    co_return;
  }
  const bool same = read && read->sizes.size() == 1 && (*made)->forms.size() == 1 &&
                    size_of((*made)->forms.front().body) == read->sizes.front();
  if (!same) {
    note(Step::store, "none");
    job_.flight->land(std::move(*made), sharing_with(together_->streamed, false));
    co_return;
  }
  if (read->elsewhere) {
    cache::Body body = (*made)->forms.front().body;
    read->entry->forms.front().body = std::move(body);
    cache::encode_heads(*read->entry);
  }
  const bool elsewhere = read->elsewhere;
  land_copy(*read, true);
  if (elsewhere)
    outside_.store->add_holder(together_->step.id(), read->entry->version.get(),
                               outside_.cluster->config().advertise);
}

// Somebody else holds the lease by now, whose result is newer than ours.
void RunningFetch::fence_off() {
  outside_.cluster->leases_lost().add();
  job_.flight->forbid_store();
  note(Step::lease, "lost");
}

Task<void> RunningFetch::share_entry(cache::EntryPtr entry, bool storable,
                                     const cache::Sharing& sharing) {
  if (!together_ || !together_->lease || job_.flight->store_forbidden()) co_return;
  if (together_->lease->lost(MonoClock::now())) {
    fence_off();
    co_return;
  }
  const bool shareable = sharing.shareable && sharing.alike.empty();
  if ((!storable && !entry->negative) || !shareable || shield_.purges().outdated(job_.key, *entry))
    co_return;
  cache::Variant variant;
  if (!sharing.vary.empty()) {
    variant.names = tell_vary(shield_, job_.primary, sharing.vary);
    variant.values = http::vary_values(variant.names, job_.headers);
  }
  const HeldLease::Terms& terms = together_->lease->terms();
  ports::Patience patience;
  const auto published = co_await together_->step.copies().publish(
      {terms.id, terms.token, terms.fence, *job_.asked_at}, job_.primary, entry, std::move(variant),
      patience);
  if (published == ports::SharedStore::Published::yes) together_->lease->spent();
  if (published == ports::SharedStore::Published::fenced) fence_off();
}

Task<void> RunningFetch::share_failure(const cache::Failure& failure, Duration keep) {
  if (!together_ || !together_->lease || job_.flight->store_forbidden()) co_return;
  const HeldLease::Terms& terms = together_->lease->terms();
  ports::Patience patience;
  const auto published = co_await together_->step.copies().publish_failure(
      {terms.id, terms.token, terms.fence, *job_.asked_at}, failure, keep, patience);
  if (published == ports::SharedStore::Published::yes) together_->lease->spent();
}

}  // namespace tanggul::shield
