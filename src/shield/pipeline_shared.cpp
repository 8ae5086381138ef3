// The look-up's last place: what other nodes have stored.
#include "http/vary.h"
#include "shield/cluster.h"
#include "shield/pipeline.h"
#include "shield/shared_cache.h"
#include "shield/store.h"

namespace tanggul::shield {

// Only what nothing at all is known of here: an entry that has gone stale is renewed by a flight,
// which finds what is newer elsewhere before it asks the origin.
Task<void> Pipeline::recall_shared(Walk& w) {
  if (w.call.head.method != "GET" && w.call.head.method != "HEAD") co_return;
  const bool knows = w.recalled || shield_.find(w.call.key);
  if (!knows) co_await look_elsewhere(w, w.call.key);
  cache::EntryPtr primary = shield_.find(w.call.key);
  if (!primary) primary = w.recalled;
  if (!primary || primary->kind != cache::Entry::Kind::vary || w.recalled_variant) co_return;
  const std::string variant =
      variant_key(w.call.key, http::vary_values(primary->vary, w.call.head));
  if (!shield_.find(variant)) co_await look_elsewhere(w, variant);
}

// One look of this thread a key, however many ask; none while a flight is on its way, which looks
// by itself.
Task<void> Pipeline::look_elsewhere(Walk& w, std::string key) {
  if (!outside_.cluster->reachable()) co_return;
  const std::string flight_key = flight_key_of(w, std::move(key), "GET");
  if (shield_.find(failure_key(flight_key)) || shield_.flights().find(flight_key)) co_return;
  const std::string id = shared_id(flight_key);
  const auto [at, first] = looks_->try_emplace(id);
  if (!first) {
    const auto look = at->second;
    look->waiting.push_back(w.call.waiter);
    const MonoTime until = MonoClock::now() + w.patience.left();
    const MonoTime began = MonoClock::now();
    while (!look->over && !w.call.waiter->closed() && MonoClock::now() < until)
      co_await w.call.waiter->wait_until(until);
    w.patience.spend(MonoClock::now() - began);
    co_return;
  }
  const auto look = at->second = std::make_shared<Look>();
  const EndOfLook end{looks_, id, look};
  const cache::Generation generation = shield_.purges().now();
  const ports::SharedStore::Looked looked = co_await outside_.store->look(id, w.patience);
  if (looked.available) take_copies(w, flight_key, looked.copies, generation);
  w.now = Now::take();
}

void Pipeline::take_copies(Walk& w, const std::string& flight_key,
                           const ports::SharedCopies& copies, cache::Generation generation) {
  const SharedCache shared(shield_, *outside_.store, outside_.cluster);
  const std::optional<SharedCache::Read> read = shared.read(copies, generation);
  if (read && !read->elsewhere && read->key == w.call.key) {
    shared.keep(read->key, *read);
    w.trace.note(Step::lookup, "shared");
  }
  auto failed = shared.read_failure(copies);
  if (!failed) return;
  const Now now = Now::take();
  remember_failure(shield_, flight_key, *failed->failure, now.wall, failed->expires - now.wall);
}

}  // namespace tanggul::shield
