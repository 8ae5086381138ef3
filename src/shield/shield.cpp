#include "shield/shield.h"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace tanggul::shield {
namespace {

// How often the disk tier hears that what is served from memory is used.
constexpr std::uint64_t kTouchEvery = 60;
// For what a disk takes longer to bring the origin is asked.
constexpr Duration kDiskPatience = 5s;
// How long a body that could not be kept is told of.
constexpr Duration kTroubleIsTold = 60s;
// What is evicted at once for a body that the disk does not take.
constexpr ByteCount kLeastRoom = 16_MiB;

bool has_disk(const ShieldConfig& config) {
  return config.disk > 0 && !config.cache_directory.empty();
}

std::string journal_of(const ShieldConfig& config) {
  return has_disk(config) ? config.spool_directory + "/purges" : std::string();
}

// Heads and digests of what lies in files.
ByteCount files_bound(const ShieldConfig& config) { return std::max(config.memory / 4, 1_MiB); }

bool lasts(const cache::Entry& entry) {
  using Kind = cache::Entry::Kind;
  return (entry.kind == Kind::response && !entry.negative && !entry.part) ||
         entry.kind == Kind::vary;
}

}  // namespace

Shield::Shield(ShieldConfig config, MetricSet& metrics)
    : metrics_(metrics),
      spool_directory_(config.spool_directory),
      purges_(journal_of(config)),
      memory_(config.memory),
      files_(files_bound(config), 0, config.files) {
  if (has_disk(config)) {
    cache::DiskConfig disk;
    disk.root = config.cache_directory;
    disk.capacity = config.disk;
    disk.in_memory = memory_.largest() / 2;
    disk.sync = config.sync;
    disk_ = std::make_unique<cache::DiskTier>(
        disk, metrics,
        [this](const std::string& key, const cache::EntryPtr& entry, cache::DiskTier::Stored how) {
          stored_on_disk(key, entry, how);
        });
  }
  const auto show = [&](const char* tier, auto bytes, auto evictions) {
    metrics.gauge_fn("tanggul_cache_bytes", "Bytes held", {{"tier", tier}}, bytes);
    metrics.counter_fn("tanggul_cache_evictions_total", "Entries evicted", {{"tier", tier}},
                       evictions);
  };
  const auto number = [](auto n) { return static_cast<double>(n); };
  show(
      "memory", [=, this] { return number(memory_.bytes()); },
      [=, this] { return number(memory_.evictions()); });
  show(
      "disk", [=, this] { return number(disk_ ? disk_->bytes() : 0); },
      [=, this] { return number(disk_ ? disk_->evictions() : 0); });
  metrics.gauge_fn("tanggul_cache_indexing", "Whether the cache on disk is still being counted", {},
                   [=, this] { return number(disk_ && disk_->indexing() ? 1 : 0); });
  metrics.gauge_fn("tanggul_cache_disk_up", "Whether the cache on disk takes what it is given", {},
                   [=, this] { return number(disk_ && disk_->trouble().empty() ? 1 : 0); });
  configure(std::move(config));
}

void Shield::configure(ShieldConfig config) {
  auto routes = std::make_shared<Routes>();
  routes->public_url = std::move(config.public_url);
  routes->own_url = std::move(config.own_url);
  routes->lease_ttl = config.lease_ttl;
  routes->once_max_object = config.once_max_object;
  const Lock lock(mutex_);
  for (const auto& [name, state] : states_)
    if (std::none_of(config.origins.begin(), config.origins.end(),
                     [&](const OriginConfig& origin) { return origin.name == name; }))
      state->retire();
  const std::vector<Gauge*> infos_before = std::exchange(pattern_infos_, {});
  for (OriginConfig& origin : config.origins) {
    auto& state = states_[origin.name];
    if (state) {
      state->configure(origin);
    } else {
      state = std::make_unique<OriginState>(origin, metrics_);
    }
    state->share_limits(limit_share_, limit_nodes_);
    const std::vector<PatternState*> patterns = patterns_of(origin);
    routes->upstreams.push_back(
        std::make_shared<const Upstream>(std::move(origin), *state, patterns));
  }
  for (Gauge* info : infos_before)
    if (std::find(pattern_infos_.begin(), pattern_infos_.end(), info) == pattern_infos_.end())
      info->set(std::numeric_limits<double>::quiet_NaN());
  memory_.set_capacity(config.memory);
  files_.set_capacity(files_bound(config));
  if (disk_) disk_->set_capacity(config.disk);
  if (disk_) disk_->set_in_memory(memory_.largest() / 2);
  routes_ = std::move(routes);
}

std::vector<PatternState*> Shield::patterns_of(const OriginConfig& origin) {
  std::vector<PatternState*> out;
  for (const std::string& name : origin.key_patterns) {
    auto& state = patterns_[name];
    if (!state) state = std::make_unique<PatternState>(name, metrics_);
    out.push_back(state.get());
    pattern_infos_.push_back(&metrics_.gauge("tanggul_key_pattern_info",
                                             "Which origin's requests count under which pattern",
                                             {{"origin", origin.name}, {"key_pattern", name}}));
    pattern_infos_.back()->set(1);
  }
  return out;
}

void Shield::sample(MonoTime now) {
  ++seconds_;
  let_go_of_retired();
  const Lock lock(mutex_);
  for (const auto& [name, state] : states_) state->sample(now);
  for (const auto& [name, state] : patterns_) state->sample(now);
}

void Shield::let_go_of_retired() {
  if (disk_ && disk_->take_retired())
    files_.erase_if([](std::string_view, const cache::Entry& entry) { return !entry.current(); });
}

void Shield::finish() {
  offload_.finish();
  disk_reads_.finish();
}

void Shield::drain() {
  draining_.store(true);
  const Lock lock(mutex_);
  for (const auto& [name, state] : states_) state->drain();
}

RoutesPtr Shield::routes() const {
  const Lock lock(mutex_);
  return routes_;
}

cache::EntryPtr Shield::at_hand(std::string_view key) {
  const std::uint64_t hash = hash_bytes(key);
  if (auto entry = memory_.get(key, hash)) return entry;
  cache::EntryPtr entry = files_.get(key, hash);
  if (!entry || entry->current()) return entry;
  files_.erase(key, entry);
  return nullptr;
}

std::atomic<std::uint64_t>& Shield::changes(std::string_view key) {
  return changes_[hash_bytes(key) % changes_.size()];
}

cache::EntryPtr Shield::find(std::string_view key) {
  cache::EntryPtr entry = at_hand(key);
  if (!entry) return nullptr;
  if (purges_.outdated(key, *entry)) {
    erase(key);
    return nullptr;
  }
  if (disk_) touch(key, *entry);
  return entry;
}

void Shield::touch(std::string_view key, const cache::Entry& entry) {
  const std::uint64_t now = seconds_.load(std::memory_order_relaxed);
  if (now - entry.touched.get() < kTouchEvery || !lasts(entry)) return;
  entry.touched.set(now);
  disk_->touch(key);
}

Task<cache::EntryPtr> Shield::recall(std::string_view key, async::WaiterPtr waiter,
                                     MonoTime until) {
  cache::EntryPtr held = find(key);
  if (held || !disk_ || !disk_->may_hold(key)) co_return held;
  until = std::min(until, MonoClock::now() + kDiskPatience);
  // The caller may be gone before the disk has answered.
  struct Answer {
    cache::EntryPtr entry;  // before `there`
    std::atomic<bool> there{false};
  };
  const auto answer = std::make_shared<Answer>();
  disk_reads_.post([this, own = std::string(key), answer, waiter] {
    answer->entry = recall_now(own);
    answer->there.store(true);
    waiter->wake();
  });
  while (!answer->there && !waiter->closed() && MonoClock::now() < until)
    co_await waiter->wait_until(until);
  if (answer->there) held = answer->entry;
  co_return held;
}

cache::EntryPtr Shield::recall_now(const std::string& key) {
  if (auto held = find(key)) return held;  // another has just done it
  const auto& changed = changes(key);
  const std::uint64_t before = changed.load(), swept = sweeps_.load();
  const cache::EntryPtr entry = disk_->load(key);
  if (!entry) return nullptr;
  if (purges_.outdated(key, *entry)) {
    disk_->erase(key);
    return nullptr;
  }
  entry->touched.set(seconds_.load());
  keep_at_hand(key, entry, false);
  // Replaced or erased meanwhile: then what was read is not put back.
  if (changed.load() == before && sweeps_.load() == swept) return entry;
  memory_.erase(key, entry);
  files_.erase(key, entry);
  return find(key);
}

bool Shield::keep_at_hand(std::string_view key, const cache::EntryPtr& entry, bool replace) {
  cache::MemoryTier& tier = entry->in_file() ? files_ : memory_;
  if (!replace) return tier.put_new(key, entry);
  (entry->in_file() ? memory_ : files_).erase(key);
  return tier.put(key, entry);
}

bool Shield::store(std::string_view key, cache::EntryPtr entry) {
  ++changes(key);
  // A file that no disk tier answers for would be room that nobody counts.
  const bool keeps = disk_ || !entry->in_file();
  const bool at_hand = keeps && keep_at_hand(key, entry, true);
  if (!disk_ || entry->kind == cache::Entry::Kind::failure) return at_hand;
  if (!lasts(*entry)) {
    disk_->erase(key);
    return at_hand;
  }
  entry->touched.set(seconds_.load());
  disk_->store(std::string(key), std::move(entry));
  return true;
}

void Shield::stored_on_disk(const std::string& key, const cache::EntryPtr& entry,
                            cache::DiskTier::Stored how) {
  if (how != cache::DiskTier::Stored::kept && entry->in_file()) files_.erase(key, entry);
}

void Shield::forget_failure(const std::string& flight_key) {
  memory_.erase(failure_key(flight_key));  // it lies nowhere else
}

void Shield::erase(std::string_view key) {
  ++changes(key);
  memory_.erase(key);
  files_.erase(key);
  if (disk_) disk_->erase(key);
}

bool Shield::make_room(int error, ByteCount size) {
  if (error == EMFILE || error == ENFILE)
    return files_.erase_if([](std::string_view, const cache::Entry&) { return true; }) > 0;
  if ((error != ENOSPC && error != EDQUOT) || !disk_) return false;
  const ByteCount before = disk_->bytes();
  if (size > before) return false;  // all of it would not be enough
  disk_->make_room(std::max(size, kLeastRoom));
  let_go_of_retired();  // an open file keeps its room
  return disk_->bytes() < before;
}

void Shield::note_trouble(std::string what, MonoTime now) {
  const Lock lock(mutex_);
  trouble_ = std::move(what);
  trouble_until_ = now + kTroubleIsTold;
}

std::string Shield::trouble(MonoTime now) const {
  const std::string disks = disk_ ? disk_->trouble() : std::string();
  const Lock lock(mutex_);
  return disks.empty() && now < trouble_until_ ? trouble_ : disks;
}

std::size_t Shield::erase_at_hand_if(const std::function<bool(std::string_view key)>& which) {
  ++sweeps_;
  const auto goes = [&](std::string_view key, const cache::Entry&) { return which(key); };
  return memory_.erase_if(goes) + files_.erase_if(goes);
}

bool Shield::note_purge(cache::Purges::Rule rule, std::string_view what) {
  const bool kept = purges_.add(rule, what);
  PurgeListener listener;
  {
    const Lock lock(mutex_);
    listener = purge_listener_;
  }
  if (listener) listener(rule, what);
  return kept;
}

void Shield::on_purge(PurgeListener purged, WriteListener written) {
  const Lock lock(mutex_);
  purge_listener_ = std::move(purged);
  write_listener_ = std::move(written);
}

void Shield::share_limits(LimitShare share, std::size_t nodes) {
  std::vector<OriginState*> all;
  {
    const Lock lock(mutex_);
    limit_share_ = share;
    limit_nodes_ = nodes;
    for (const auto& [name, state] : states_) all.push_back(state.get());
  }
  for (OriginState* state : all) state->share_limits(share, nodes);  // none is ever taken away
}

void Shield::outdate(const std::vector<std::string>& prefixes) {
  const auto below = [&](std::string_view key) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return key.starts_with(prefix); });
  };
  // The flights first: see publish().
  flights_.outdate_if(below);
  for (const std::string& prefix : prefixes) note_purge(cache::Purges::Rule::documents, prefix);
}

void Shield::outdate_target(const std::string& key) {
  take_written(key);
  WriteListener listener;
  {
    const Lock lock(mutex_);
    listener = write_listener_;
  }
  if (listener) listener(key);
}

void Shield::take_written(const std::string& key) {
  flights_.outdate_if([&](std::string_view k) { return cache::belongs_to(k, key); });
  const cache::EntryPtr held = find(key);
  // Only where there are variants, which have keys of their own, it is written down: writes may be
  // many.
  const bool varies = held && held->kind == cache::Entry::Kind::vary;
  if (varies || (!held && disk_ && disk_->may_hold(key)))
    purges_.add(cache::Purges::Rule::target, key);
  erase(key);
  forget_failure(key);
}

std::string failure_key(std::string_view key) {
  return std::string(key) +
         "\x1d"
         "failure";
}

std::string variant_key(std::string_view key, std::string_view vary_values) {
  return std::string(key).append("\x1e").append(vary_values);
}

}  // namespace tanggul::shield
