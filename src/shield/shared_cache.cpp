#include "shield/shared_cache.h"

#include "base/digest.h"
#include "shield/cluster.h"
#include "shield/store.h"

namespace tanggul::shield {
namespace {

// What the store keeps of an entry after it is fresh no longer.
Duration life_of(const policy::StoredTimes& times, WallTime now) {
  const Duration stale = std::max(times.stale_while_revalidate, times.stale_if_error);
  return std::max<Duration>(times.expires - now + stale, 1s);
}

}  // namespace

std::string shared_id(std::string_view flight_key) {
  return to_hex(Digest::of(DigestKind::sha256, flight_key).substr(0, 16));
}

std::optional<SharedCache::Read> SharedCache::read(const ports::SharedCopies& copies,
                                                   cache::Generation generation) const {
  if (!copies.entry) return std::nullopt;
  auto copy = cache::decode_copy(copies.entry->bytes, Now::take());
  if (!copy || !copy->entry) return std::nullopt;
  if (cluster_ != nullptr && cluster_->outdated(copy->key, *copy->entry, copy->asked_at))
    return std::nullopt;
  Read out;
  out.key = std::move(copy->key);
  out.entry = std::move(copy->entry);
  out.entry->generation = generation;
  out.entry->version.set(copies.entry->version);
  out.variant = std::move(copy->variant);
  out.sizes = std::move(copy->sizes);
  out.elsewhere = copy->elsewhere;
  out.holders = copies.holders;
  return out;
}

std::optional<cache::Copy> SharedCache::read_failure(const ports::SharedCopies& copies) const {
  if (!copies.failure) return std::nullopt;
  const Now now = Now::take();
  auto copy = cache::decode_copy(copies.failure->bytes, now);
  if (!copy || !copy->failure || copy->expires <= now.wall) return std::nullopt;
  if (cluster_ != nullptr && cluster_->outdated_failure(copy->asked_at)) return std::nullopt;
  return std::move(*copy);
}

std::string SharedCache::keep(const std::string& primary, const Read& read) const {
  std::string key = primary;
  if (!read.variant.names.empty()) {
    // Selected by more than its writer knew of: which variant it is here nobody can tell.
    if (tell_vary(shield_, primary, read.variant.names) != read.variant.names) return {};
    key = variant_key(primary, read.variant.values);
  }
  return shield_.store(key, read.entry) ? key : std::string();
}

Task<ports::SharedStore::Published> SharedCache::publish(Published under, std::string key,
                                                         cache::EntryPtr entry,
                                                         cache::Variant variant,
                                                         ports::Patience& patience) {
  const bool elsewhere = cluster_ != nullptr && cache::bodies_of(*entry) > kLongestBody;
  ports::Publication what;
  what.id = std::move(under.id);
  what.token = std::move(under.token);
  what.bytes = cache::encode_copy(*entry, key, variant, under.asked_at, elsewhere);
  what.lives = life_of(entry->times, wall_now());
  if (elsewhere) what.holder = cluster_->config().advertise;
  if (what.bytes.empty() || what.bytes.size() > ports::kLongestShared)
    co_return ports::SharedStore::Published::unavailable;
  const auto published = co_await store_.publish(std::move(what), patience);
  if (published == ports::SharedStore::Published::yes) entry->version.set(under.fence);
  co_return published;
}

Task<ports::SharedStore::Published> SharedCache::publish_failure(Published under,
                                                                 cache::Failure failure,
                                                                 Duration lives,
                                                                 ports::Patience& patience) {
  ports::Publication what;
  what.id = std::move(under.id);
  what.token = std::move(under.token);
  what.bytes = cache::encode_copy(failure, wall_now() + lives, under.asked_at);
  what.lives = lives;
  what.failure = true;
  const auto published = co_await store_.publish(std::move(what), patience);
  co_return published;
}

}  // namespace tanggul::shield
