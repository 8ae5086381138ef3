#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "adapters/git/objects.h"
#include "adapters/git/run.h"
#include "ports/source_tree.h"

namespace tanggul::git {

struct GitOptions {
  std::string program = "git";    // a name in PATH, or a path
  Duration silence = 30s;         // without a byte of an answer; ten times that for a whole listing
  std::size_t names = 200'000;    // of the tree that are looked at
  ByteCount name_bytes = 64_MiB;  // of all of them
};

// Whether there is a repository: bare, or a folder with one in its `.git`, or with a `.git` file
// that says where (a further working tree, a submodule). Whether it is sound, open() finds out.
bool is_git_repository(const std::string& path);

// What a repository's HEAD names, read from its objects: there need be no working tree, and the one
// that there is, is not looked at. Nothing is fetched: what a partial clone lacks is absent.
class GitTree final : public ports::SourceTree {
 public:
  // The commit is that of now; later ones are another tree's.
  static Expected<std::unique_ptr<GitTree>> open(const std::string& path,
                                                 const GitOptions& options = {});

  // Nullopt: an empty repository, without a commit. Its listing is empty.
  const std::optional<std::string>& commit() const noexcept { return commit_; }
  // The URL of the remote `origin`, without its user and password; empty: none.
  const std::string& remote() const noexcept { return remote_; }

  Expected<ports::Listing> list(const std::function<bool(std::string_view path)>& wanted) override;
  Expected<ports::Reading> read(const ports::SourceFile& file, ByteCount limit,
                                const std::function<bool(std::string_view piece)>& sink) override;

 private:
  GitTree(Repository repository, GitOptions options, std::optional<std::string> commit,
          std::string remote);

  const Repository repository_;
  const GitOptions options_;
  const std::optional<std::string> commit_;
  const std::string remote_;
  Objects objects_;
  std::unordered_map<std::string, std::string> ids_;  // by path, of the latest listing
};

}  // namespace tanggul::git
