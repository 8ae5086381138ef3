#include "cache/purges.h"

#include <algorithm>

#include "cache/tags.h"

namespace tanggul::cache {
namespace {

std::string_view origin_of(std::string_view key) { return key.substr(0, key.find('\x1f')); }

bool is_document_or_failure(const Entry& entry) {
  return entry.forms.size() > 1 || entry.negative || entry.kind == Entry::Kind::failure;
}

}  // namespace

bool belongs_to(std::string_view key, std::string_view target) noexcept {
  return key.starts_with(target) && (key.size() == target.size() || (key[target.size()] >= '\x1d' &&
                                                                     key[target.size()] <= '\x1f'));
}

Purges::Purges(const std::string& journal)
    : journal_(journal), floor_(journal_.floor()), now_(floor_) {
  const Lock lock(mutex_);
  for (const auto& record : journal_.take_records()) {
    take(record.rule, record.what, record.generation);
    now_ = std::max(now_.load(), record.generation);
  }
}

bool Purges::add(Rule rule, std::string_view what) {
  const Lock lock(mutex_);
  const Generation next = now_.load() + 1;
  take(rule, what, next);
  now_.store(next, std::memory_order_release);
  return journal_.append({rule, next, std::string(what)});
}

void Purges::take(Rule rule, std::string_view what, Generation generation) {
  switch (rule) {
    case Rule::origin:
      origins_.insert_or_assign(std::string(what), generation);
      break;
    case Rule::tag:
      tags_[tag_hash(what)] = generation;
      break;
    case Rule::target:
    case Rule::prefix:
    case Rule::documents:
      prefixes_.push_back({rule, std::string(what), generation});
      if (prefixes_.size() > kMost) fold();
      break;
  }
}

void Purges::fold() {
  const auto half = prefixes_.begin() + static_cast<std::ptrdiff_t>(prefixes_.size() / 2);
  for (auto p = prefixes_.begin(); p != half; ++p) {
    Generation& origin = origins_[std::string(origin_of(p->key))];
    origin = std::max(origin, p->generation);
  }
  prefixes_.erase(prefixes_.begin(), half);
}

bool Purges::covered(std::string_view key, const Entry& entry) const {
  const Lock lock(mutex_);
  const Generation now = now_.load();
  // From before the journal, or from after a clock that was set back: nobody knows.
  if (entry.generation < floor_ || entry.generation > now) return true;
  if (covered_since(key, entry, std::max(entry.generation, entry.checked.get()))) return true;
  entry.checked.set(now);
  return false;
}

bool Purges::covered_since(std::string_view key, const Entry& entry, Generation since) const {
  const auto origin = origins_.find(origin_of(key));
  if (origin != origins_.end() && origin->second > since) return true;
  for (const std::uint64_t tag : entry.tags) {
    const auto found = tags_.find(tag);
    if (found != tags_.end() && found->second > since) return true;
  }
  for (auto p = prefixes_.rbegin(); p != prefixes_.rend() && p->generation > since; ++p) {
    const bool fits = p->rule == Rule::target ? belongs_to(key, p->key) : key.starts_with(p->key);
    if (fits && (p->rule != Rule::documents || is_document_or_failure(entry))) return true;
  }
  return false;
}

}  // namespace tanggul::cache
