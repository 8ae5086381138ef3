#include "shield/missed.h"

#include "base/bytes.h"
#include "shield/pattern_state.h"

namespace tanggul::shield {
namespace {

// 0 stands for none.
std::uint64_t hash_or_none(std::string_view text) {
  return text.empty() ? 0 : hash_bytes(text) | 1;
}

// A key is the origin's name, the target as its kind keys it, what further selects a form, and the
// variant. What is not in it, such as a parameter that the configuration drops, tells no keys
// apart.
policy::MissedKey parts_of(const FetchJob& job) {
  std::string_view key = job.key;
  key.remove_prefix(std::min(job.upstream->config().name.size() + 1, key.size()));
  policy::MissedKey parts;
  parts.target = key.substr(0, key.find_first_of("\x1d\x1e\x1f"));
  if (!parts.target.starts_with('/')) parts.target.insert(0, 1, '/');
  parts.credential = hash_or_none(job.credential);
  const auto variant = key.find('\x1e');
  if (variant != std::string_view::npos) parts.variant = hash_or_none(key.substr(variant + 1));
  return parts;
}

}  // namespace

void note_missed(const FetchJob& job, MonoTime now) {
  if (job.background || job.key.empty()) return;
  job.upstream->patterns()[job.what.pattern].state->missed(job.flight->key(), parts_of(job), now);
}

}  // namespace tanggul::shield
