#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/git/git_tree.h"
#include "support/git_environment.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/tree_reading.h"

namespace tanggul::git {

using test::any_file;
using test::in_words;
using test::text_of;

// git as its user runs it: that makes repositories, and shows what an unguarded one does.
inline test::CommandResult plain_git(const std::string& folder, std::vector<std::string> args) {
  args.insert(args.begin(), {"git", "-C", folder});
  return test::run_command({.args = std::move(args), .env = test::git_environment()});
}

// A repository with a working tree, made by git itself.
class RepositoryForTest {
 public:
  RepositoryForTest() { git({"init", "-q", "-b", "main"}); }

  // What it says on its standard output, without the last line end.
  std::string git(std::vector<std::string> args) const {
    auto ran = plain_git(path(), std::move(args));
    EXPECT_EQ(ran.status, 0) << ran.err;
    if (ran.out.ends_with('\n')) ran.out.pop_back();
    return std::move(ran.out);
  }
  void write(std::string_view name, std::string_view text) const { dir_.write(name, text); }
  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, dir_.file(name));
  }
  // Everything that is there.
  void commit() const {
    git({"add", "-A", "-f"});
    git({"commit", "-q", "--allow-empty", "-m", "x"});
  }

  const std::string& path() const { return dir_.path(); }
  std::string file(std::string_view name) const { return dir_.file(name); }

 private:
  const test::TempDir dir_;
};

inline std::unique_ptr<GitTree> opened(const std::string& path, const GitOptions& options = {}) {
  return std::move(GitTree::open(path, options)).value();
}

inline std::vector<std::string> listed(GitTree& tree) { return in_words(*tree.list(any_file)); }

// Why there is no tree, or no listing of it; empty: there is one.
inline std::string fault_of(const std::string& path, const GitOptions& options = {}) {
  auto tree = GitTree::open(path, options);
  if (!tree) return tree.error().detail;
  const auto listing = (*tree)->list(any_file);
  return listing ? "" : listing.error().detail;
}

}  // namespace tanggul::git
