#include "adapters/git/git_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "adapters/git/entries.h"
#include "adapters/git/head.h"
#include "ports/tree_links.h"

namespace tanggul::git {

namespace fs = std::filesystem;
using ports::Listing;
using ports::Reading;

using ports::Unread;

namespace {

bool is_git_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::string beginning(8, '\0');
  std::ifstream(path, std::ios::binary).read(beginning.data(), 8);
  return beginning == "gitdir: ";
}

bool is_git_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path / "objects", ignored) &&
         (fs::is_directory(path / "refs", ignored) || fs::exists(path / "HEAD", ignored));
}

// Empty: there is none. git itself follows a `.git` file.
std::string git_dir_of(const std::string& path) {
  std::error_code ignored;
  const fs::path root = fs::absolute(path, ignored);
  if (is_git_folder(root / ".git") || is_git_file(root / ".git")) return root / ".git";
  return is_git_folder(root) ? root.string() : std::string();
}

}  // namespace

bool is_git_repository(const std::string& path) { return !git_dir_of(path).empty(); }

Expected<std::unique_ptr<GitTree>> GitTree::open(const std::string& path,
                                                 const GitOptions& options) {
  std::string git_dir = git_dir_of(path);
  if (git_dir.empty()) return failed("there is no repository");
  Repository repository{options.program, std::move(git_dir), options.silence};
  auto commit = head_commit(repository);
  if (!commit) return commit.error();
  auto remote = remote_url(repository);
  if (!remote) return remote.error();
  return std::unique_ptr<GitTree>(
      new GitTree(std::move(repository), options, std::move(*commit), std::move(*remote)));
}

GitTree::GitTree(Repository repository, GitOptions options, std::optional<std::string> commit,
                 std::string remote)
    : repository_(std::move(repository)),
      options_(std::move(options)),
      commit_(std::move(commit)),
      remote_(std::move(remote)),
      objects_(repository_, commit_.value_or("")) {}

Expected<Listing> GitTree::list(const std::function<bool(std::string_view)>& wanted) {
  ids_.clear();
  if (!commit_) return Listing{};
  const auto entries = Entries::of(repository_, *commit_, {options_.names, options_.name_bytes});
  if (!entries) return entries.error();
  Listing out{.more = entries->more()};
  if (!entries->lost().empty()) out.part_lost = "git: " + entries->lost();
  for (const Entry& entry : entries->all()) {
    if (!wanted(entry.path)) continue;
    const auto found = entries->behind(entry, objects_);
    if (!found) return found.error();
    auto size = found->unread ? Objects::Size{.unread = found->unread} : objects_.size(found->id);
    if (!size) return size.error();
    if (size->unread) {
      out.unread.push_back({entry.path, *size->unread});
      continue;
    }
    ids_.insert_or_assign(entry.path, found->id);
    out.files.push_back({entry.path, size->bytes});
  }
  return out;
}

Expected<Reading> GitTree::read(const ports::SourceFile& file, ByteCount limit,
                                const std::function<bool(std::string_view)>& sink) {
  const auto id = ids_.find(file.path);
  if (id == ids_.end()) return Reading{.unread = Unread::absent};
  return objects_.read(id->second, limit, sink);
}

}  // namespace tanggul::git
