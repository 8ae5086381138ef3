#include "adapters/git/git_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "adapters/git/repository_for_test.h"

namespace tanggul::git {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(GitTree, ListsWhatIsWantedByPathAndReadsIt) {
  const RepositoryForTest repository;
  repository.write("b/README.md", "read me");
  repository.write("b-c/README.md", "x");
  repository.write("README.md", "");
  repository.write("code.py", "not wanted");
  repository.commit();
  const auto tree = opened(repository.path());
  const auto listing = tree->list([](std::string_view path) { return path.ends_with(".md"); });
  EXPECT_THAT(in_words(*listing), ElementsAre("README.md=0", "b-c/README.md=1", "b/README.md=7"));
  EXPECT_FALSE(listing->more);
  EXPECT_EQ(text_of(*tree, "b/README.md"), "read me");
  EXPECT_EQ(text_of(*tree, "README.md"), "");
  EXPECT_EQ(text_of(*tree, "code.py"), "!absent") << "not of the listing";
}

TEST(GitTree, ReadsWhatIsCommittedAndNeverTheWorkingTree) {
  const RepositoryForTest repository;
  repository.write("README", "committed");
  repository.commit();
  repository.write("README", "changed");
  repository.write("new", "new");
  const auto tree = opened(repository.path());
  EXPECT_THAT(listed(*tree), ElementsAre("README=9"));
  EXPECT_EQ(text_of(*tree, "README"), "committed");
}

TEST(GitTree, StaysAtTheCommitItWasOpenedAt) {
  const RepositoryForTest repository;
  repository.write("README", "first");
  repository.commit();
  const auto tree = opened(repository.path());
  repository.write("README", "the second");
  repository.commit();
  EXPECT_THAT(listed(*tree), ElementsAre("README=5"));
}

TEST(GitTree, ReadsABareOneAFolderWithOneAndAFileThatNamesOne) {
  const RepositoryForTest repository;
  repository.write("README", "x");
  repository.commit();
  const test::TempDir dir;
  const std::string bare = dir.file("bare dir.git"), work = dir.file("-work");
  repository.git({"clone", "-q", "--bare", repository.path(), bare});
  repository.git({"worktree", "add", "-q", "--detach", work});
  for (const std::string& path : {repository.path(), repository.file(".git"), bare, work}) {
    EXPECT_TRUE(is_git_repository(path)) << path;
    EXPECT_THAT(listed(*opened(path)), ElementsAre("README=1")) << path;
  }
  EXPECT_FALSE(is_git_repository(dir.path()));
  EXPECT_FALSE(is_git_repository(dir.write("file", "x")));
  EXPECT_FALSE(is_git_repository(dir.file("nothing")));
  EXPECT_EQ(GitTree::open(dir.path()).error().detail, "git: there is no repository");
}

TEST(GitTree, NamesAreBytes) {
  const RepositoryForTest repository;
  const std::vector<std::string> names{
      "with space", "with\nnewline", "with\ttab", "na\xc3\xafve", "bad \xff", "--upload-pack=rm",
      "-c",         ":(glob)*",      "quote\"'",  "back\\slash",  "HEAD",     "a/--output=x",
  };
  for (const std::string& name : names) repository.write(name, name);
  repository.commit();
  const auto tree = opened(repository.path());
  EXPECT_EQ(tree->list(any_file)->files.size(), names.size());
  for (const std::string& name : names) EXPECT_EQ(text_of(*tree, name), name);
}

TEST(GitTree, SubmodulesAreNotListed) {
  const RepositoryForTest repository;
  repository.write("README", "x");
  repository.write(".gitmodules", "[submodule \"s\"]\n path = s\n url = ext::sh -c touch% x\n");
  repository.git({"update-index", "--add", "--cacheinfo",
                  "160000,1234567890123456789012345678901234567890,s"});
  repository.git({"add", "README", ".gitmodules"});
  repository.git({"commit", "-q", "-m", "x"});
  EXPECT_THAT(listed(*opened(repository.path())), ElementsAre(".gitmodules=53", "README=1"));
}

TEST(GitTree, FiveThousandFilesAreListedAndReadByOneProcess) {
  const RepositoryForTest repository;
  for (int i = 0; i < 5000; ++i) {
    repository.write("d" + std::to_string(i % 50) + "/" + std::to_string(i), std::to_string(i));
  }
  repository.commit();
  // A wrapper that counts how often git is run.
  const test::TempDir dir;
  const std::string git = dir.write(
      "git", "#!/bin/sh\nmktemp " + dir.file("run-XXXXXXXX") + " >/dev/null\nexec git \"$@\"\n");
  fs::permissions(git, fs::perms::owner_all);
  const auto tree = opened(repository.path(), {.program = git});
  const auto runs = [&] {
    const fs::directory_iterator all(dir.path());
    return std::distance(begin(all), end(all)) - 1;
  };
  const auto before = runs();
  EXPECT_GT(before, 0);
  const auto listing = tree->list(any_file);
  ASSERT_EQ(listing->files.size(), 5000U);
  for (const auto& file : listing->files) {
    ASSERT_EQ(text_of(*tree, file.path), file.path.substr(file.path.find('/') + 1));
  }
  EXPECT_EQ(runs() - before, 3) << "ls-tree of the root, ls-tree of all, cat-file";
}

TEST(GitTree, TheFilesOfTheRootAreListedHoweverManyStandBeforeThem) {
  const RepositoryForTest repository;
  for (int i = 0; i < 20; ++i) repository.write("A/" + std::to_string(i), "x");
  repository.write("README", "read me");
  repository.commit();
  const auto tree = opened(repository.path(), {.names = 10});
  const auto listing = tree->list(any_file);
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->more);
  EXPECT_EQ(listing->files.size(), 11U);
  EXPECT_EQ(text_of(*tree, "README"), "read me");
}

TEST(GitTree, NamesBeyondTheBoundsAreLeftOutAndSaidToBe) {
  const RepositoryForTest repository;
  for (int i = 0; i < 20; ++i) repository.write(std::string(10, 'a') + std::to_string(i), "x");
  repository.commit();
  EXPECT_FALSE(opened(repository.path(), {.names = 20})->list(any_file)->more);
  const auto fewer = opened(repository.path(), {.names = 19})->list(any_file);
  EXPECT_EQ(fewer->files.size(), 19U);
  EXPECT_TRUE(fewer->more);
  EXPECT_TRUE(opened(repository.path(), {.name_bytes = 100})->list(any_file)->more);
}

TEST(GitTree, OfALargeBlobOnlyWhatIsAskedForIsTaken) {
  const RepositoryForTest repository;
  std::string large;
  for (std::size_t i = 0; large.size() < 20_MiB; ++i) large += std::to_string(i * 2654435761);
  repository.write("large", large);
  repository.write("small", "small");
  repository.commit();
  const auto tree = opened(repository.path());
  EXPECT_THAT(listed(*tree), ElementsAre("large=" + std::to_string(large.size()), "small=5"));
  EXPECT_EQ(text_of(*tree, "large", 1_MiB), large.substr(0, 1_MiB));
  EXPECT_EQ(text_of(*tree, "small"), "small") << "nothing of the large one is in the way";
  std::size_t given = 0;
  const auto stopped = tree->read({"large", {}}, 30_MiB, [&](std::string_view piece) {
    given += piece.size();
    return given < 2_MiB;
  });
  EXPECT_FALSE(stopped->whole);
  EXPECT_LT(given, 3_MiB);
  EXPECT_EQ(text_of(*tree, "small"), "small");
  EXPECT_EQ(text_of(*tree, "large", 30_MiB), large);
}

TEST(GitTree, AReadingSaysWhetherItIsWhole) {
  const RepositoryForTest repository;
  repository.write("five", "12345");
  repository.write("none", "");
  repository.commit();
  const auto tree = opened(repository.path());
  ASSERT_TRUE(tree->list(any_file));
  const auto takes = [](std::string_view) { return true; };
  EXPECT_TRUE(tree->read({"five", {}}, 5, takes)->whole);
  EXPECT_FALSE(tree->read({"five", {}}, 4, takes)->whole);
  EXPECT_FALSE(tree->read({"five", {}}, 0, takes)->whole);
  EXPECT_TRUE(tree->read({"none", {}}, 0, takes)->whole);
  EXPECT_TRUE(tree->read({"five", {}}, 9, [](std::string_view) { return false; })->whole)
      << "it had the last byte all the same";
}

TEST(GitTree, OfTheNewerHashToo) {
  const test::TempDir dir;
  ASSERT_EQ(plain_git(dir.path(), {"init", "-q", "--object-format=sha256"}).status, 0);
  dir.write("README", "x");
  plain_git(dir.path(), {"add", "README"});
  plain_git(dir.path(), {"commit", "-q", "-m", "x"});
  const auto tree = opened(dir.path());
  EXPECT_EQ(tree->commit()->size(), 64U);
  EXPECT_THAT(listed(*tree), ElementsAre("README=1"));
  EXPECT_EQ(text_of(*tree, "README"), "x");
}

TEST(GitTree, LeavesNoDescriptorAndNoProcess) {
  const RepositoryForTest repository;
  repository.write("README", std::string(1_MiB, 'x'));
  repository.commit();
  const std::size_t before = test::open_descriptors();
  for (int i = 0; i < 3; ++i) {
    const auto tree = opened(repository.path());
    EXPECT_EQ(listed(*tree).size(), 1U);
    EXPECT_EQ(text_of(*tree, "README", 10), "xxxxxxxxxx");
    EXPECT_EQ(text_of(*tree, "README").size(), 1_MiB);
  }
  EXPECT_EQ(test::open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace tanggul::git
