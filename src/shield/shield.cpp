#include "shield/shield.h"

#include <algorithm>
#include <limits>

namespace tanggul::shield {

Shield::Shield(ShieldConfig config, MetricSet& metrics)
    : metrics_(metrics),
      spool_directory_(config.spool_directory),
      memory_(config.memory),
      files_(config.disk, config.disk / 2, config.files) {
  const auto show = [&](const char* tier, const cache::MemoryTier& entries) {
    metrics.gauge_fn("tanggul_cache_bytes", "Bytes held", {{"tier", tier}},
                     [&entries] { return static_cast<double>(entries.bytes()); });
    metrics.counter_fn("tanggul_cache_evictions_total", "Entries evicted", {{"tier", tier}},
                       [&entries] { return static_cast<double>(entries.evictions()); });
  };
  show("memory", memory_);
  show("disk", files_);
  configure(std::move(config));
}

void Shield::configure(ShieldConfig config) {
  auto routes = std::make_shared<Routes>();
  routes->public_url = std::move(config.public_url);
  routes->own_url = std::move(config.own_url);
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
    const std::vector<PatternState*> patterns = patterns_of(origin);
    routes->upstreams.push_back(
        std::make_shared<const Upstream>(std::move(origin), *state, patterns));
  }
  for (Gauge* info : infos_before)
    if (std::find(pattern_infos_.begin(), pattern_infos_.end(), info) == pattern_infos_.end())
      info->set(std::numeric_limits<double>::quiet_NaN());
  memory_.set_capacity(config.memory);
  files_.set_capacity(config.disk, config.disk / 2);
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
  const Lock lock(mutex_);
  for (const auto& [name, state] : states_) state->sample(now);
  for (const auto& [name, state] : patterns_) state->sample(now);
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

cache::EntryPtr Shield::find(std::string_view key) const {
  const std::uint64_t hash = hash_bytes(key);
  if (auto entry = memory_.get(key, hash)) return entry;
  return files_.get(key, hash);
}

bool Shield::store(std::string_view key, cache::EntryPtr entry) {
  if (entry->in_file()) {
    memory_.erase(key);
    return files_.put(key, std::move(entry));
  }
  files_.erase(key);
  return memory_.put(key, std::move(entry));
}

void Shield::erase(std::string_view key) {
  memory_.erase(key);
  files_.erase(key);
}

std::size_t Shield::erase_if(const std::function<bool(std::string_view key)>& which) {
  const auto goes = [&](std::string_view key, const cache::Entry&) { return which(key); };
  return memory_.erase_if(goes) + files_.erase_if(goes);
}

void Shield::outdate(const std::vector<std::string>& prefixes) {
  const auto below = [&](std::string_view key) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return key.starts_with(prefix); });
  };
  // The flights first: see publish().
  flights_.outdate_if(below);
  const auto goes = [&](std::string_view key, const cache::Entry& entry) {
    const bool document = entry.forms.size() > 1;
    const bool failure = entry.negative || entry.kind == cache::Entry::Kind::failure;
    return (document || failure) && below(key);
  };
  memory_.erase_if(goes);
  files_.erase_if(goes);
}

void Shield::outdate_target(const std::string& key) {
  const auto own = [&](std::string_view k) {
    return k.starts_with(key) &&
           (k.size() == key.size() || (k[key.size()] >= '\x1d' && k[key.size()] <= '\x1f'));
  };
  flights_.outdate_if(own);
  const cache::EntryPtr held = find(key);
  erase(key);
  erase(failure_key(key));
  // Only where there are variants all entries are looked at: writes may be many.
  if (!held || held->kind != cache::Entry::Kind::vary) return;
  const auto goes = [&](std::string_view k, const cache::Entry&) { return own(k); };
  memory_.erase_if(goes);
  files_.erase_if(goes);
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
