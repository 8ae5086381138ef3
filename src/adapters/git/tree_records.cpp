#include "adapters/git/tree_records.h"

#include <algorithm>
#include <optional>

namespace tanggul::git {
namespace {

constexpr std::size_t kLongest = 8_KiB;

TreeEntry::Kind kind_of(std::string_view mode) noexcept {
  if (mode.starts_with("100")) return TreeEntry::Kind::file;
  return mode == "120000" ? TreeEntry::Kind::link : TreeEntry::Kind::other;
}

// "100644 blob ID\tPATH"
std::optional<TreeEntry> parsed(std::string_view record) {
  const std::size_t tab = record.find('\t');
  if (tab == record.npos) return std::nullopt;
  std::string_view head = record.substr(0, tab);
  TreeEntry out{.path = record.substr(tab + 1)};
  const std::size_t first = head.find(' '), last = head.rfind(' ');
  if (first == head.npos || out.path.empty()) return std::nullopt;
  out.kind = kind_of(head.substr(0, first));
  out.id = head.substr(last + 1);
  return is_object_id(out.id) ? std::optional(out) : std::nullopt;
}

}  // namespace

bool is_object_id(std::string_view text) noexcept {
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool TreeRecords::take(std::string_view bytes, const Each& each) {
  for (;;) {
    const std::size_t end = bytes.find('\0');
    const std::string_view part = bytes.substr(0, end);
    too_long_ = too_long_ || pending_.size() + part.size() > kLongest;
    if (!too_long_) pending_ += part;
    if (end == bytes.npos) return true;
    bytes.remove_prefix(end + 1);
    if (!one(pending_, each)) return false;
    pending_.clear();
    too_long_ = false;
  }
}

bool TreeRecords::one(std::string_view record, const Each& each) {
  const auto entry = too_long_ ? std::nullopt : parsed(record);
  if (entry) return each(*entry);
  ++left_out_;
  return true;
}

}  // namespace tanggul::git
