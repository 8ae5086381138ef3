#include "cache/tags.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::cache {
namespace {

template <class Each>
void split(std::string_view value, std::string_view separators, Each each) {
  while (!value.empty()) {
    const auto end = std::min(value.find_first_of(separators), value.size());
    if (const auto member = trim(value.substr(0, end)); !member.empty()) each(member);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

}  // namespace

std::uint64_t tag_hash(std::string_view tag) {
  const std::string digest = Digest::of(DigestKind::sha256, to_lower(trim(tag)));
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < sizeof hash; ++i)
    hash = hash << 8 | static_cast<unsigned char>(digest[i]);
  return hash;
}

std::vector<std::uint64_t> tags_of(const http::Headers& headers) {
  std::vector<std::uint64_t> tags;
  const auto add = [&](std::string_view tag) { tags.push_back(tag_hash(tag)); };
  for (const auto& h : headers) {
    if (iequals(h.name, "cache-tag")) split(h.value, ",", add);
    if (iequals(h.name, "surrogate-key") || iequals(h.name, "xkey")) split(h.value, " \t", add);
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

}  // namespace tanggul::cache
