#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "adapters/git/repository_for_test.h"

namespace tanggul::git {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class GitBroken : public testing::Test {
 protected:
  GitBroken() {
    repository_.write("README", "read me");
    repository_.write("d/x", "x");
    repository_.commit();
  }
  void overwrite(const std::string& name, std::string_view text) const {
    fs::remove(repository_.file(".git/" + name));
    repository_.write(".git/" + name, text);
  }
  std::string object(const std::string& revision) const {
    const std::string id = repository_.git({"rev-parse", revision});
    return "objects/" + id.substr(0, 2) + "/" + id.substr(2);
  }
  void remove(const std::string& revision) const {
    fs::remove(repository_.file(".git/" + object(revision)));
  }
  std::string fault() const {
    std::string out = fault_of(repository_.path());
    EXPECT_EQ(out.find('\n'), out.npos) << out;
    return out;
  }

  const RepositoryForTest repository_;
};

TEST_F(GitBroken, AHeadThatIsNoneIsAFault) {
  overwrite("HEAD", "garbage\n");
  EXPECT_THAT(fault(), HasSubstr("not a git repository"));
  overwrite("HEAD", std::string(100'000, '\xff'));
  EXPECT_THAT(fault(), HasSubstr("git: "));
  overwrite("HEAD", "ref: refs/heads/../../../../etc/passwd\n");
  EXPECT_THAT(fault(), HasSubstr("git: "));
}

TEST_F(GitBroken, AHeadWhoseCommitIsLostIsAFaultAndNotEmpty) {
  overwrite("HEAD", std::string(40, '1') + "\n");
  EXPECT_EQ(fault(), "git: HEAD names no commit that is there");
  overwrite("HEAD", "ref: refs/heads/main\n");
  overwrite("refs/heads/main", std::string(40, '1') + "\n");
  EXPECT_THAT(fault(), HasSubstr("git: "));
  overwrite("refs/heads/main", "junk");
  EXPECT_THAT(fault(), HasSubstr("git: "));
}

TEST_F(GitBroken, ALostRootIsAFault) {
  remove("HEAD^{tree}");
  EXPECT_THAT(fault(), HasSubstr("git: "));
}

TEST_F(GitBroken, ALostFolderCostsNoFileOfTheRoot) {
  repository_.write("zz", "behind it");
  repository_.commit();
  remove("HEAD:d");
  const auto tree = opened(repository_.path());
  const auto listing = tree->list([](std::string_view) { return true; });
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->part_lost, HasSubstr("git: "));
  EXPECT_THAT(listed(*tree), ElementsAre("README=7", "zz=9"));
  EXPECT_EQ(text_of(*tree, "README"), "read me");
}

TEST_F(GitBroken, ALostOrDamagedBlobIsUnreadAndTheOthersAreRead) {
  remove("HEAD:d/x");
  const auto tree = opened(repository_.path());
  EXPECT_THAT(listed(*tree), ElementsAre("README=7", "d/x!absent"));
  overwrite(object("HEAD:d/x"), "no object");
  EXPECT_THAT(listed(*tree), ElementsAre("README=7", "d/x!absent"));
  EXPECT_EQ(text_of(*tree, "README"), "read me");
}

TEST_F(GitBroken, ATruncatedPackIsAFault) {
  repository_.write("random", test::read_file("/proc/sys/kernel/random/uuid"));
  repository_.write("large", std::string(100'000, 'x'));
  repository_.commit();
  repository_.git({"gc", "-q"});
  for (const auto& entry : fs::directory_iterator(repository_.file(".git/objects/pack"))) {
    if (entry.path().extension() != ".pack") continue;
    fs::permissions(entry.path(), fs::perms::owner_all);
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  }
  EXPECT_THAT(fault(), HasSubstr("git: "));
}

TEST_F(GitBroken, AConfigurationOfTheFutureIsAFault) {
  repository_.git({"config", "core.repositoryformatversion", "99"});
  EXPECT_THAT(fault(), HasSubstr("99"));
}

TEST_F(GitBroken, AConfigurationThatIsNoneIsAFault) {
  overwrite("config", "[core\n\x01\x1b[31m");
  EXPECT_THAT(fault(), HasSubstr("bad config"));
}

TEST_F(GitBroken, AFileThatNamesNoRepositoryIsAFault) {
  const test::TempDir dir;
  dir.write(".git", "gitdir: /nowhere\n");
  EXPECT_TRUE(is_git_repository(dir.path()));
  EXPECT_THAT(fault_of(dir.path()), HasSubstr("not a git repository"));
}

TEST_F(GitBroken, AnEntryThatIsNoBlobIsUnread) {
  const std::string id = *from_hex(repository_.git({"rev-parse", "HEAD"}));
  repository_.write("raw", std::string("100644 no-blob") + '\0' + id);
  const std::string tree =
      repository_.git({"hash-object", "-t", "tree", "-w", "--literally", "raw"});
  const std::string made = repository_.git({"commit-tree", "-m", "x", tree});
  repository_.git({"update-ref", "HEAD", made});
  EXPECT_THAT(listed(*opened(repository_.path())), ElementsAre("no-blob!not_regular"));
}

TEST_F(GitBroken, AGitThatIsNotThereIsAFault) {
  EXPECT_EQ(fault_of(repository_.path(), {.program = "/nowhere/git"}),
            "git: cannot be started: is it installed, and in PATH?");
}

// It stops as it is asked for contents.
TEST(Git, ThatHangsHoldsNobodyUp) {
  const RepositoryForTest repository;
  repository.write("README", "x");
  repository.commit();
  const test::TempDir dir;
  const std::string git = dir.write("git",
                                    "#!/bin/sh\ncase \"$*\" in *cat-file*) kill -STOP $$;; esac\n"
                                    "exec git \"$@\"\n");
  fs::permissions(git, fs::perms::owner_all);
  const std::size_t before = test::open_descriptors();
  {
    const auto tree = opened(repository.path(), {.program = git, .silence = 5s});
    const auto listing = tree->list(any_file);
    ASSERT_FALSE(listing);
    EXPECT_EQ(listing.error().code, Errc::stalled);
  }
  EXPECT_EQ(test::open_descriptors(), before);
}

}  // namespace
}  // namespace tanggul::git
