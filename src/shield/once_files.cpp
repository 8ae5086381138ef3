#include "shield/once_files.h"

#include <boost/json.hpp>

#include "base/random_name.h"
#include "http/date.h"
#include "http/repr_digest.h"
#include "shield/cluster.h"
#include "shield/once_key.h"

namespace tanggul::shield {
namespace {

namespace json = boost::json;
using Published = ports::SharedStore::Published;

// Between the moment when all are told of a file and that in which this node finds it.
constexpr Duration kSettles = 2s;
constexpr Duration kBetweenLooks = 5ms;
constexpr Duration kLongestDiskRead = 5s;

// Which process wrote a copy: generations of purges are comparable within it only.
const std::string& this_process() {
  static const std::string kName = random_name();
  return kName;
}

// The hex digits of once_etag().
std::string_view sha256_in(std::string_view etag) { return etag.substr(1, etag.size() - 2); }

std::optional<json::object> parsed(const std::string& bytes) {
  boost::system::error_code error;
  const json::value value = json::parse(bytes, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return std::nullopt;
  return *object;
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* v = object.if_contains(key);
  return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string();
}

std::int64_t number_of(const json::object& object, std::string_view key) {
  const json::value* v = object.if_contains(key);
  return v != nullptr && v->is_number() ? v->to_number<std::int64_t>() : 0;
}

}  // namespace

std::string once_etag(std::string_view sha256) { return "\"" + to_hex(sha256) + "\""; }

OnceFiles::OnceFiles(Shield& shield, ports::SharedStore& store, const Outside& outside)
    : shield_(shield),
      store_(store),
      outside_(outside),
      advertise_(outside.clustered() ? outside.cluster->config().advertise : std::string()) {}

ports::PurgePlace OnceFiles::place() const {
  return outside_.clustered() ? outside_.cluster->place() : ports::PurgePlace{};
}

Task<cache::EntryPtr> OnceFiles::find(std::string key, async::WaiterPtr waiter) {
  const cache::EntryPtr entry =
      co_await shield_.recall(once_cache_key(key), waiter, MonoClock::now() + kLongestDiskRead);
  if (entry && entry->times.expires <= wall_now()) co_return nullptr;
  co_return entry;
}

cache::EntryPtr OnceFiles::at_hand(const std::string& key) {
  cache::EntryPtr entry = shield_.find(once_cache_key(key));
  if (entry && entry->times.expires <= wall_now()) entry.reset();
  return entry;
}

Task<cache::EntryPtr> OnceFiles::bring(std::string key, ports::SharedCopies copies,
                                       async::WaiterPtr waiter) {
  cache::EntryPtr entry = co_await find(key, waiter);
  const auto told = copies.entry ? parsed(copies.entry->bytes) : std::nullopt;
  if (entry || !told || purged(key, *told)) co_return entry;
  const Duration settling = std::chrono::milliseconds(number_of(*told, "at_ms")) + kSettles;
  if (text_of(*told, "process") != this_process()) {
    const auto sha256 = from_hex(text_of(*told, "sha256"));
    if (!sha256) co_return nullptr;
    // It is told of first and kept then: who is asked between has nothing yet.
    const MonoTime at_most = MonoClock::now() + kSettles;
    for (bool settled = false; !entry && !settled && !waiter->closed();) {
      settled = wall_now().time_since_epoch() >= settling || MonoClock::now() >= at_most;
      entry = co_await bring_from_elsewhere(key, copies, *sha256, settled, waiter);
      if (!entry && !settled) co_await waiter->wait_until(MonoClock::now() + kBetweenLooks);
    }
    co_return entry;
  }
  // Another thread of ours has just told of it and is about to keep it.
  while (!entry && !waiter->closed() && wall_now().time_since_epoch() < settling) {
    co_await waiter->wait_until(MonoClock::now() + kBetweenLooks);
    entry = at_hand(key);
  }
  co_return entry;
}

// Since it was told of, here or, as the purges of all are in one order, anywhere.
bool OnceFiles::purged(const std::string& key, const boost::json::object& told) const {
  cache::Entry of_then;
  if (text_of(told, "process") != this_process())
    return outside_.clustered() &&
           outside_.cluster->outdated(
               once_cache_key(key), of_then,
               {text_of(told, "epoch"), static_cast<std::uint64_t>(number_of(told, "sequence"))});
  of_then.generation = static_cast<cache::Generation>(number_of(told, "generation"));
  return shield_.purges().outdated(once_cache_key(key), of_then);
}

bool OnceFiles::takes(ByteCount size) const {
  return size <= shield_.memory().largest() ||
         (shield_.disk() != nullptr && size <= shield_.disk()->largest());
}

Result<cache::EntryPtr> OnceFiles::make(const cache::Spool& spool, const std::string& sha256,
                                        const std::string& by, cache::Generation generation) const {
  const WallTime now = wall_now();
  auto entry = std::make_shared<cache::Entry>();
  entry->status = 200;
  entry->headers.add("Content-Type", "application/octet-stream");
  entry->headers.add("Repr-Digest", http::write_repr_digest(sha256));
  entry->headers.add("X-Tanggul-Built-By", by);
  entry->headers.add("Date", http::format_date(now));
  entry->times.stored_at = entry->times.birth = now;
  entry->times.expires = now + kKept;
  entry->generation = generation;
  cache::Form form;
  form.etag = once_etag(sha256);
  if (spool.file() && shield_.disk() != nullptr && spool.size() <= shield_.disk()->largest()) {
    form.body = cache::FileBody{spool.file(), spool.size()};
  } else {
    auto bytes = spool.bytes();
    if (!bytes) return bytes.error();
    form.body = std::make_shared<const std::string>(std::move(*bytes));
  }
  entry->forms.push_back(std::move(form));
  cache::encode_heads(*entry);
  return cache::EntryPtr(std::move(entry));
}

// All are told first: what a builder brings that has lost its lease must not take the place of what
// its successor has brought.
Task<OnceFiles::Published> OnceFiles::publish(std::string key, std::string token,
                                              cache::EntryPtr entry, ports::PurgePlace asked_at,
                                              ports::Patience& patience) {
  ports::Publication what;
  what.id = once_id(key);
  what.token = std::move(token);
  what.bytes = json::serialize(json::object{
      {"key", key},
      {"process", this_process()},
      {"generation", entry->generation},
      {"epoch", asked_at.epoch},
      {"sequence", asked_at.sequence},
      {"sha256", std::string(sha256_in(entry->forms.front().etag))},
      {"at_ms", std::chrono::duration_cast<std::chrono::milliseconds>(wall_now().time_since_epoch())
                    .count()}});
  what.lives = kKept;
  what.holder = advertise_;
  Published out;
  out.how = co_await store_.publish(std::move(what), patience);
  if (out.how != ports::SharedStore::Published::yes) co_return out;
  out.kept = shield_.store(once_cache_key(key), std::move(entry));
  if (!out.kept && !advertise_.empty()) store_.remove_holder(once_id(key), advertise_);
  co_return out;
}

Task<ports::SharedStore::Published> OnceFiles::publish_failure(std::string key, std::string token,
                                                               Failure failure,
                                                               ports::Patience& patience) {
  ports::Publication what;
  what.id = once_id(key);
  what.token = std::move(token);
  what.bytes = json::serialize(json::object{{"key", key},
                                            {"process", this_process()},
                                            {"generation", shield_.purges().now()},
                                            {"epoch", place().epoch},
                                            {"sequence", place().sequence},
                                            {"status", failure.status},
                                            {"by", failure.by}});
  what.lives = kFailureKept;
  what.failure = true;
  const auto how = co_await store_.publish(std::move(what), patience);
  co_return how;
}

std::optional<OnceFiles::Failure> OnceFiles::failure(const std::string& key,
                                                     const ports::SharedCopies& copies) const {
  const auto told = copies.failure ? parsed(copies.failure->bytes) : std::nullopt;
  if (!told || text_of(*told, "key") != key) return std::nullopt;
  if (purged(key, *told)) return std::nullopt;
  Failure out;
  out.status = static_cast<int>(number_of(*told, "status"));
  out.by = text_of(*told, "by");
  return out;
}

}  // namespace tanggul::shield
