#include "adapters/git/entries.h"

#include <algorithm>
#include <utility>

namespace tanggul::git {

using ports::LinkAt;

using ports::Unread;

namespace {

constexpr ByteCount kLinkText = 4_KiB;  // PATH_MAX

Expected<LinkAt> link_text(const Entry& link, Objects& objects) {
  std::string text;
  const auto reading = objects.read(link.id, kLinkText, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  if (!reading) return reading.error();
  if (reading->unread) return LinkAt{.unread = reading->unread};
  if (!reading->whole || text.find('\0') != text.npos) return LinkAt{.unread = Unread::unreadable};
  return LinkAt{std::move(text)};
}

}  // namespace

// The root by itself first: its files speak for the repository, and neither the bounds nor a folder
// that is lost may hide them.
Expected<Entries> Entries::of(const Repository& repository, const std::string& commit,
                              EntryBounds bounds) {
  Entries out;
  const auto root = out.add(repository, {"ls-tree", "-z", "--full-tree", commit}, bounds);
  if (!root) return root.error();
  if (!root->empty()) return failed(*root);
  out.more_ = false;
  const auto all = out.add(repository, {"ls-tree", "-r", "-z", "--full-tree", commit}, bounds);
  if (!all) return all.error();
  out.lost_ = *all;
  out.sort();
  return out;
}

Expected<std::string> Entries::add(const Repository& repository, std::vector<std::string> args,
                                   EntryBounds bounds) {
  auto child = repository.start(std::move(args), repository.latest());
  if (!child) return child.error();
  ByteCount bytes = 0;
  std::size_t names = 0;
  TreeRecords records;
  const auto keep = [&](const TreeEntry& entry) {
    bytes += entry.path.size();
    more_ = ++names > bounds.names || bytes > bounds.name_bytes;
    if (more_) return false;
    if (entry.kind == TreeEntry::Kind::other) return true;
    all_.push_back(
        {std::string(entry.path), std::string(entry.id), entry.kind == TreeEntry::Kind::link});
    return true;
  };
  while (!more_) {
    const auto some = (*child)->read();
    if (!some) return some.error();
    if (some->empty()) break;
    records.take(*some, keep);
  }
  std::string said;
  if (!more_) {
    const auto status = (*child)->wait();
    if (!status) return status.error();
    if (*status != 0) said = (*child)->complaint();
  }
  more_ = more_ || records.left_out() > 0;
  return said;
}

// git writes them so, but for trees that were made to be odd.
void Entries::sort() {
  std::ranges::sort(all_, {}, &Entry::path);
  const auto again = std::ranges::unique(all_, {}, &Entry::path);
  all_.erase(again.begin(), again.end());
}

Expected<Entries::Behind> Entries::behind(const Entry& entry, Objects& objects) const {
  if (!entry.link) return Behind{entry.id};
  std::optional<Failure> error;
  const ports::ResolvedPath end =
      ports::resolved_in_tree(entry.path, [&](const std::string& path) -> LinkAt {
        const Entry* const here = find(path);
        if (!here || !here->link) return {};
        auto link = link_text(*here, objects);
        if (link) return std::move(*link);
        error = link.error();
        return {.unread = Unread::unreadable};
      });
  if (error) return *error;
  if (end.unread) return Behind{.unread = end.unread};
  if (const Entry* const file = find(end.path)) return Behind{file->id};
  return Behind{.unread = is_folder(end.path) ? Unread::not_regular : Unread::dangling};
}

const Entry* Entries::find(std::string_view path) const {
  const auto at = std::ranges::lower_bound(
      all_, path, {}, [](const Entry& entry) { return std::string_view(entry.path); });
  return at != all_.end() && at->path == path ? &*at : nullptr;
}

bool Entries::is_folder(const std::string& path) const {
  if (path.empty()) return true;
  const std::string prefix = path + "/";
  const auto at = std::ranges::lower_bound(all_, prefix, {}, &Entry::path);
  return at != all_.end() && at->path.starts_with(prefix);
}

}  // namespace tanggul::git
