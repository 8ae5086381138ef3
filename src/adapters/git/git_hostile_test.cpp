#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/git/repository_for_test.h"

namespace tanggul::git {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// A repository that would have a program run: it leaves a mark.
class GitHostile : public testing::Test {
 protected:
  GitHostile() {
    repository_.write("README", "read me");
    repository_.write("data.bin", "x");
    repository_.write(".gitattributes", "*.bin filter=evil diff=evil\n");
    repository_.commit();
    program_ = dir_.write("evil", "#!/bin/sh\ntouch " + mark() + "\nexit 1\n");
    fs::permissions(program_, fs::perms::all);
  }
  std::string mark() const { return dir_.file("mark"); }
  bool marked() const { return fs::exists(mark()); }
  void config(const std::string& key, const std::string& value) const {
    repository_.git({"config", key, value});
  }

  const RepositoryForTest repository_;
  const test::TempDir dir_;
  std::string program_;
};

TEST_F(GitHostile, NothingThatItsConfigurationNamesIsRun) {
  for (const char* const key : {"core.pager",
                                "core.editor",
                                "core.sshCommand",
                                "core.askPass",
                                "core.gitProxy",
                                "core.alternateRefsCommand",
                                "pager.ls-tree",
                                "pager.cat-file",
                                "pager.config",
                                "filter.evil.smudge",
                                "filter.evil.clean",
                                "filter.evil.process",
                                "diff.evil.textconv",
                                "diff.evil.command",
                                "diff.external",
                                "credential.helper",
                                "uploadpack.packObjectsHook",
                                "gpg.program",
                                "trace2.eventTarget",
                                "remote.origin.uploadpack",
                                "remote.origin.vcs"}) {
    config(key, program_);
  }
  for (const char* const alias : {"ls-tree", "cat-file", "rev-parse", "config"}) {
    config(std::string("alias.") + alias, "!" + program_);
  }
  config("filter.evil.required", "true");
  config("remote.origin.url", "ext::" + program_);
  config("remote.origin.promisor", "true");
  config("protocol.ext.allow", "always");
  for (const char* const hook : {"post-checkout", "reference-transaction", "pre-auto-gc",
                                 "post-index-change", "fsmonitor-watchman"}) {
    fs::copy_file(program_, repository_.file(std::string(".git/hooks/") + hook));
  }
  config("core.hooksPath", repository_.file(".git/hooks"));
  config("core.fsmonitor", program_);
  fs::remove(mark());  // making it was not what is tried here

  const auto tree = opened(repository_.path());
  EXPECT_THAT(listed(*tree), ElementsAre(".gitattributes=28", "README=7", "data.bin=1"));
  EXPECT_EQ(text_of(*tree, "data.bin"), "x");
  EXPECT_EQ(tree->remote(), "ext::" + program_);
  EXPECT_FALSE(marked());
  (void)plain_git(repository_.path(), {"status"});
  EXPECT_TRUE(marked()) << "it is as hostile as it looks";
}

TEST_F(GitHostile, AnAbsentObjectIsNotAskedOfARemoteThatIsAProgram) {
  const std::string id = repository_.git({"rev-parse", "HEAD:README"});
  fs::remove(repository_.file(".git/objects/" + id.substr(0, 2) + "/" + id.substr(2)));
  config("core.repositoryFormatVersion", "1");
  config("extensions.partialClone", "origin");
  config("remote.origin.url", "ext::" + program_);
  config("remote.origin.promisor", "true");
  config("protocol.ext.allow", "always");
  EXPECT_THAT(listed(*opened(repository_.path())),
              ElementsAre(".gitattributes=28", "data.bin=1", "README!absent"));
  EXPECT_FALSE(marked());
  (void)plain_git(repository_.path(), {"cat-file", "-p", id});
  EXPECT_TRUE(marked()) << "it is as hostile as it looks";
}

TEST_F(GitHostile, AReplacementIsNotReadInsteadOfWhatHeadNames) {
  repository_.write("other", "another");
  const std::string other = repository_.git({"hash-object", "-w", "other"});
  repository_.git({"replace", repository_.git({"rev-parse", "HEAD:README"}), other});
  const auto tree = opened(repository_.path());
  ASSERT_TRUE(tree->list(any_file));
  EXPECT_EQ(text_of(*tree, "README"), "read me");
}

TEST_F(GitHostile, APipeInItsConfigurationHoldsNobodyUp) {
  const std::string pipe = dir_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0644), 0);
  config("include.path", pipe);
  const auto tree = GitTree::open(repository_.path(), {.silence = 500ms});
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, Errc::stalled);
  EXPECT_EQ(tree.error().detail, "git gave no answer within 500 ms");
}

TEST_F(GitHostile, OfAnotherOwnerItIsReadAllTheSame) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  for (const auto& entry : fs::recursive_directory_iterator(repository_.path())) {
    ASSERT_EQ(::lchown(entry.path().c_str(), 65534, 65534), 0);
  }
  ASSERT_EQ(::chown(repository_.path().c_str(), 65534, 65534), 0);
  EXPECT_THAT(plain_git(repository_.path(), {"status"}).err, HasSubstr("dubious ownership"));
  EXPECT_EQ(listed(*opened(repository_.path())).size(), 3U);
}

TEST_F(GitHostile, NothingOfTheCallersEnvironmentReachesGit) {
  ASSERT_EQ(::setenv("GIT_DIR", "/nowhere", 1), 0);
  ASSERT_EQ(::setenv("GIT_CONFIG_COUNT", "1", 1), 0);
  ASSERT_EQ(::setenv("GIT_TRACE", mark().c_str(), 1), 0);
  const std::string fault = fault_of(repository_.path());
  for (const char* const name : {"GIT_DIR", "GIT_CONFIG_COUNT", "GIT_TRACE"}) ::unsetenv(name);
  EXPECT_EQ(fault, "");
  EXPECT_FALSE(marked());
}

TEST_F(GitHostile, ATreeThatGrowsWithoutEndIsCutByTheBound) {
  // Ten folders, in each of them the same ten … : 10^10 names in a dozen objects.
  std::string id = repository_.git({"rev-parse", "HEAD:README"}), kind = "100644 blob ";
  for (int level = 0; level < 10; ++level) {
    std::string text;
    for (int i = 0; i < 10; ++i) text += kind + id + "\t" + std::to_string(i) + "\n";
    const std::string file = dir_.write("as-text", text);
    id = test::run_command(
             {.args = {"sh", "-c", "git -C \"$0\" mktree <\"$1\"", repository_.path(), file}})
             .out.substr(0, 40);
    kind = "040000 tree ";
  }
  repository_.git({"update-ref", "HEAD", repository_.git({"commit-tree", "-m", "x", id})});
  const auto listing = opened(repository_.path())->list([](std::string_view path) {
    return path == "0/0/0/0/0/0/0/0/0/0";
  });
  EXPECT_THAT(in_words(*listing), ElementsAre("0/0/0/0/0/0/0/0/0/0=7"));
  EXPECT_TRUE(listing->more);
}

}  // namespace
}  // namespace tanggul::git
