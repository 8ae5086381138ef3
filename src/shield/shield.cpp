#include "shield/shield.h"

#include <algorithm>

namespace tanggul::shield {

Shield::Shield(ShieldConfig config, MetricSet& metrics)
    : config_(std::move(config)),
      memory_(config_.memory),
      files_(config_.disk, config_.disk / 2, config_.files) {
  for (const OriginConfig& origin : config_.origins)
    upstreams_.push_back(std::make_unique<Upstream>(origin, metrics));
  const auto show = [&](const char* tier, const cache::MemoryTier& entries) {
    metrics.gauge_fn("tanggul_cache_bytes", "Bytes held", {{"tier", tier}},
                     [&entries] { return static_cast<double>(entries.bytes()); });
    metrics.counter_fn("tanggul_cache_evictions_total", "Entries evicted", {{"tier", tier}},
                       [&entries] { return static_cast<double>(entries.evictions()); });
  };
  show("memory", memory_);
  show("disk", files_);
}

Upstream* Shield::route(std::string_view target) const noexcept {
  Upstream* best = nullptr;
  for (const auto& u : upstreams_) {
    const std::string_view mount = u->config().mount;
    // "/npm" without its slash is the mount's own root.
    const bool inside = target.starts_with(mount) || target == mount.substr(0, mount.size() - 1);
    if (inside && (best == nullptr || mount.size() > best->config().mount.size())) best = u.get();
  }
  return best;
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
