#include "adapters/git/head.h"

#include <gtest/gtest.h>

#include "adapters/git/repository_for_test.h"

namespace tanggul::git {
namespace {

TEST(Head, AUrlIsToldWithoutItsUser) {
  EXPECT_EQ(without_userinfo("https://user:token@example.org/x"), "https://example.org/x");
  EXPECT_EQ(without_userinfo("https://token@example.org:8443"), "https://example.org:8443");
  EXPECT_EQ(without_userinfo("https://a:b@c@example.org/@scope/x@1"),
            "https://example.org/@scope/x@1");
  EXPECT_EQ(without_userinfo("https://example.org/a@b"), "https://example.org/a@b");
  EXPECT_EQ(without_userinfo("git@example.org:a/b.git"), "git@example.org:a/b.git");
  EXPECT_EQ(without_userinfo("/srv/a.git"), "/srv/a.git");
  EXPECT_EQ(without_userinfo("https://"), "https://");
}

TEST(Head, TheCommitAndTheRemoteAreTold) {
  const RepositoryForTest repository;
  repository.commit();
  auto tree = opened(repository.path());
  EXPECT_EQ(tree->commit(), repository.git({"rev-parse", "HEAD"}));
  EXPECT_EQ(tree->remote(), "");
  repository.git({"config", "remote.origin.url", "https://u:secret@example.org/a/b.git"});
  EXPECT_EQ(opened(repository.path())->remote(), "https://example.org/a/b.git");
}

TEST(Head, ADetachedHeadAndATagAreCommitsToo) {
  const RepositoryForTest repository;
  repository.commit();
  repository.git({"checkout", "-q", "--detach"});
  EXPECT_EQ(opened(repository.path())->commit(), repository.git({"rev-parse", "HEAD"}));
}

TEST(Head, ARepositoryWithoutACommitIsEmptyAndNoFault) {
  const RepositoryForTest repository;
  const auto tree = opened(repository.path());
  EXPECT_EQ(tree->commit(), std::nullopt);
  const auto listing = tree->list(any_file);
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->files.empty());
  EXPECT_EQ(text_of(*tree, "README.md"), "!absent");
}

TEST(Head, OtherBranchesDoNotMakeAHead) {
  const RepositoryForTest repository;
  repository.write("README", "x");
  repository.commit();
  repository.git({"symbolic-ref", "HEAD", "refs/heads/elsewhere"});
  EXPECT_EQ(opened(repository.path())->commit(), std::nullopt);
}

}  // namespace
}  // namespace tanggul::git
