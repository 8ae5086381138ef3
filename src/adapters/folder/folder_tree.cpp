#include "adapters/folder/folder_tree.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adapters/folder/fault.h"

namespace tanggul::folder {

using ports::Listing;
using ports::Reading;

using ports::Unread;

Expected<std::unique_ptr<FolderTree>> FolderTree::open(const std::string& path, WalkBounds bounds) {
  Descriptor root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return fault(path, errno);
  return std::unique_ptr<FolderTree>(new FolderTree(std::move(root), bounds));
}

Expected<Listing> FolderTree::list(const std::function<bool(std::string_view)>& wanted) {
  Walk walked = walk(root_.get(), bounds_, wanted);
  Listing out{.unread = std::move(walked.unread), .more = walked.more};
  for (Found& file : walked.found) {
    if (file.kind == Found::Kind::regular) {
      out.files.push_back({std::move(file.path), file.size});
    } else if (file.kind == Found::Kind::other) {
      out.unread.push_back({std::move(file.path), Unread::not_regular});
    } else if (Located at = find(file.path); !at.unread) {
      out.files.push_back({std::move(file.path), at.size});
    } else {
      const Unread why = *at.unread == Unread::absent ? Unread::dangling : *at.unread;
      out.unread.push_back({std::move(file.path), why});
    }
  }
  std::ranges::sort(out.files, {}, &ports::SourceFile::path);
  std::ranges::sort(out.unread, {}, &ports::UnreadFile::path);
  return out;
}

Expected<Reading> FolderTree::read(const ports::SourceFile& file, ByteCount limit,
                                   const std::function<bool(std::string_view)>& sink) {
  return read_located(find(file.path), limit, sink);
}

Located FolderTree::find(const std::string& path) const {
  const ports::ResolvedPath end = ports::resolved_in_tree(
      path, [this](const std::string& at) { return link_beneath(root_.get(), at); });
  if (end.unread) return {.unread = end.unread};
  return locate_beneath(root_.get(), end.path);
}

}  // namespace tanggul::folder
