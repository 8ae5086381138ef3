#include "cache/purges.h"

#include <algorithm>

#include "cache/tags.h"

namespace tanggul::cache {
namespace {

std::string_view origin_of(std::string_view key) { return key.substr(0, key.find('\x1f')); }

// Records in the journal; then those that were overtaken are left out.
constexpr std::size_t kLongJournal = 50'000;

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
    take(record);
    now_ = std::max(now_.load(), record.generation);
  }
}

bool Purges::add(Rule rule, std::string_view what) {
  const Lock in_order(writing_);
  PurgeJournal::Record record{rule, now_.load() + 1, std::string(what)};
  if (rule == Rule::tag) record.what = std::to_string(tag_hash(what));
  {
    const Lock lock(mutex_);
    take(record);
    now_.store(record.generation, std::memory_order_release);
  }
  const bool written = journal_.append(record);
  if (written && journal_.size() > kLongJournal) journal_.rewrite(records());
  return written;
}

bool Purges::sync() {
  std::function<bool()> wait;
  {
    const Lock in_order(writing_);
    wait = journal_.sync();
  }
  return wait();
}

void Purges::take(const PurgeJournal::Record& record) {
  switch (record.rule) {
    case Rule::origin:
      origins_.insert_or_assign(record.what, record.generation);
      break;
    case Rule::tag:
      tags_[parse_decimal(record.what).value_or(0)] = record.generation;
      if (tags_.size() > kMost) fold_tags();
      break;
    case Rule::all_tags:
      all_tags_ = std::max(all_tags_, record.generation);
      break;
    case Rule::all_documents:
      documents_.insert_or_assign(record.what, record.generation);
      break;
    case Rule::target:
    case Rule::prefix:
    case Rule::documents:
      take_prefix(record);
      if (prefixes_.size() > kMost) fold_prefixes();
      break;
  }
}

// A later purge of the same takes the earlier one's place.
void Purges::take_prefix(const PurgeJournal::Record& record) {
  const std::string name = static_cast<char>(record.rule) + record.what;
  if (const auto earlier = by_key_.find(name); earlier != by_key_.end()) {
    prefixes_.erase(earlier->second);
    by_key_.erase(earlier);
  }
  prefixes_.push_back({record.rule, record.what, record.generation});
  by_key_.emplace(name, std::prev(prefixes_.end()));
}

void Purges::fold_prefixes() {
  for (std::size_t n = prefixes_.size() / 2; n > 0; --n) {
    const Prefix& oldest = prefixes_.front();
    Generations& whole = oldest.rule == Rule::documents ? documents_ : origins_;
    Generation& generation = whole[std::string(origin_of(oldest.key))];
    generation = std::max(generation, oldest.generation);
    by_key_.erase(static_cast<char>(oldest.rule) + oldest.key);
    prefixes_.pop_front();
  }
}

void Purges::fold_tags() {
  std::vector<Generation> generations;
  for (const auto& [tag, generation] : tags_) generations.push_back(generation);
  const auto middle = generations.begin() + static_cast<std::ptrdiff_t>(generations.size() / 2);
  std::nth_element(generations.begin(), middle, generations.end());
  all_tags_ = std::max(all_tags_, *middle);
  const Generation folded = all_tags_;
  std::erase_if(tags_, [&](const auto& tag) { return tag.second <= folded; });
}

// What has to be known of all that was ever added.
std::vector<PurgeJournal::Record> Purges::records() const {
  const Lock lock(mutex_);
  std::vector<PurgeJournal::Record> out;
  for (const auto& [origin, generation] : origins_)
    out.push_back({Rule::origin, generation, origin});
  for (const auto& [origin, generation] : documents_)
    out.push_back({Rule::all_documents, generation, origin});
  if (all_tags_ > 0) out.push_back({Rule::all_tags, all_tags_, ""});
  for (const auto& [tag, generation] : tags_)
    out.push_back({Rule::tag, generation, std::to_string(tag)});
  for (const Prefix& p : prefixes_) out.push_back({p.rule, p.generation, p.key});
  return out;
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
  const auto later = [&](const Generations& whole) {
    const auto found = whole.find(origin_of(key));
    return found != whole.end() && found->second > since;
  };
  if (later(origins_) || (later(documents_) && is_document_or_failure(entry))) return true;
  if (!entry.tags.empty() && all_tags_ > since) return true;
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
