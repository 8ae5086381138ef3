#include "shield/parts.h"

#include <algorithm>

#include "cache/tags.h"
#include "http/range.h"
#include "shield/store.h"

namespace tanggul::shield {
namespace {

const std::string* bytes_of(const cache::Entry& entry) {
  const auto* bytes = std::get_if<SharedBytes>(&entry.forms.front().body);
  return bytes != nullptr ? bytes->get() : nullptr;
}

// RFC 9110 8.8.1: an entity tag that is not weak; of dates none, as two parts of one second's
// versions would pass for one.
std::string_view strong_validator(const cache::Entry& entry) {
  const std::string_view etag = entry.origin_etag;
  return etag.starts_with('"') ? etag : std::string_view();
}

bool same_representation(const cache::Entry& a, const cache::Entry& b) {
  return a.part && b.part && a.part->complete == b.part->complete && !strong_validator(a).empty() &&
         strong_validator(a) == strong_validator(b) &&
         a.headers.joined("content-encoding") == b.headers.joined("content-encoding");
}

// Both parts as one; the newer's headers and lifetime. Null: there is a gap, or it is too much for
// memory.
std::shared_ptr<cache::Entry> combined(const cache::Entry& held, const cache::Entry& fresh,
                                       ByteCount most) {
  const std::string* before = bytes_of(held);
  const std::string* after = bytes_of(fresh);
  if (before == nullptr || after == nullptr || !same_representation(held, fresh)) return nullptr;
  const ByteCount held_end = held.part->first + before->size();
  const ByteCount fresh_end = fresh.part->first + after->size();
  if (fresh.part->first > held_end || held.part->first > fresh_end) return nullptr;
  const ByteCount first = std::min(held.part->first, fresh.part->first);
  const ByteCount end = std::max(held_end, fresh_end);
  if (end - first > most) return nullptr;
  std::string body(end - first, '\0');
  body.replace(held.part->first - first, before->size(), *before);
  body.replace(fresh.part->first - first, after->size(), *after);

  auto entry = std::make_shared<cache::Entry>(fresh);
  for (const auto& h : held.headers)
    if (!entry->headers.has(h.name)) entry->headers.add(h.name, h.value);
  entry->part->first = first;
  entry->forms.front().body = std::make_shared<const std::string>(std::move(body));
  return entry;
}

}  // namespace

std::string part_key(std::string_view key) {
  return std::string(key) +
         "\x1d"
         "part";
}

bool tell_part(cache::Entry& entry) {
  const auto range = http::parse_content_range(entry.headers.joined("content-range"));
  if (!range || !range->complete || range->range.size != size_of(entry.forms.front().body))
    return false;
  entry.part = cache::Part{range->range.first, *range->complete};
  return true;
}

void take_into_memory(cache::Entry& entry, ByteCount most) {
  const auto* body = std::get_if<cache::FileBody>(&entry.forms.front().body);
  if (body == nullptr || body->size > most) return;
  auto bytes = body->file->read(body->offset, body->size);
  if (bytes) entry.forms.front().body = std::make_shared<const std::string>(std::move(*bytes));
}

std::string_view publish_part(Shield& shield, const FetchJob& job,
                              const std::shared_ptr<cache::Entry>& entry) {
  if (job.flight->store_forbidden() || entry->in_file()) return "none";
  const std::string key = part_key(job.key);
  std::shared_ptr<cache::Entry> made;
  if (const cache::EntryPtr held = shield.find(key); held && held->part)
    made = combined(*held, *entry, shield.memory().largest());
  cache::EntryPtr kept = entry;
  std::string where = key;
  if (made) {
    const bool whole = size_of(made->forms.front().body) == made->part->complete;
    if (whole) {
      made->status = 200;
      made->part.reset();
      made->headers.remove("content-range");
      where = job.key;
      shield.erase(key);
    }
    cache::encode_heads(*made);
    kept = std::move(made);
  }
  const bool taken = shield.store(where, std::move(kept));
  if (job.flight->store_forbidden()) shield.erase(where);  // as in publish()
  return taken && !job.flight->store_forbidden() ? "part" : "none";
}

void tell_by_head(Shield& shield, const FetchJob& job, const http::Headers& headers,
                  const policy::Lifetime& lifetime, WallTime sent_at, Duration cost) {
  const cache::Entry& held = *job.stored;
  if (held.status != 200 || held.forms.size() != 1 || job.flight->store_forbidden()) return;
  bool agrees = true;
  for (const char* validator : {"etag", "last-modified"})
    if (const auto said = headers.find(validator)) agrees &= said == held.headers.find(validator);
  if (const auto length = headers.find("content-length"))
    agrees &= parse_decimal(*length) == size_of(held.forms.front().body);
  std::shared_ptr<cache::Entry> entry;
  if (agrees) {
    if (!lifetime.storable) return;
    entry = updated(held, headers);
    entry->tags = cache::tags_of(entry->headers);
    give_life(*entry, lifetime, sent_at, cost);
  } else {
    entry = std::make_shared<cache::Entry>(held);
    entry->times.expires = std::min(entry->times.expires, wall_now());
    entry->times.stale_while_revalidate = Duration::zero();
  }
  shield.store(job.key, std::move(entry));
  if (job.flight->store_forbidden()) shield.erase(job.key);
}

}  // namespace tanggul::shield
