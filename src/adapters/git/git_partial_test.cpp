#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/repository_for_test.h"

namespace tanggul::git {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// A clone without its large blobs, of a repository that is still there to be asked for them.
class GitPartial : public testing::Test {
 protected:
  void clone(const std::string& filter) {
    repository_.git({"config", "uploadpack.allowFilter", "true"});
    repository_.git({"config", "uploadpack.allowAnySHA1InWant", "true"});
    repository_.git(
        {"clone", "-q", "--bare", "--filter=" + filter, "file://" + repository_.path(), clone_});
  }
  // What a fetch would change.
  std::string objects() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(clone_ + "/objects")) {
      names.push_back(entry.path());
    }
    std::ranges::sort(names);
    std::string out;
    for (const std::string& name : names) out += name + "\n";
    return out;
  }

  const RepositoryForTest repository_;
  const test::TempDir dir_;
  const std::string clone_ = dir_.file("clone");
};

TEST_F(GitPartial, WhatTheCloneLacksIsAbsentAndNotFetched) {
  repository_.write("a", "a");
  repository_.write("big", std::string(5000, 'x'));
  repository_.write("big2", std::string(5000, 'y'));
  repository_.write("z", "z");
  repository_.link("big", "to-big");
  repository_.commit();
  clone("blob:limit=1k");
  const std::string before = objects();
  const auto tree = opened(clone_);
  EXPECT_THAT(listed(*tree),
              ElementsAre("a=1", "z=1", "big!absent", "big2!absent", "to-big!absent"));
  EXPECT_EQ(text_of(*tree, "a"), "a");
  EXPECT_EQ(text_of(*tree, "z"), "z");
  EXPECT_EQ(objects(), before);
  // It could have been had: an unguarded git fetches it.
  EXPECT_EQ(plain_git(clone_, {"cat-file", "-p", "HEAD:big"}).out, std::string(5000, 'x'));
  EXPECT_NE(objects(), before);
}

TEST_F(GitPartial, TheSameWhereTheRemoteIsGone) {
  repository_.write("a", "a");
  repository_.write("big", std::string(5000, 'x'));
  repository_.commit();
  clone("blob:limit=1k");
  plain_git(clone_, {"config", "remote.origin.url", "file://" + dir_.file("gone")});
  EXPECT_THAT(listed(*opened(clone_)), ElementsAre("a=1", "big!absent"));
}

TEST_F(GitPartial, ThousandsOfAbsentBlobsCostNoProcessEach) {
  for (int i = 0; i < 3000; ++i) repository_.write(std::to_string(i), std::to_string(i));
  repository_.commit();
  clone("blob:none");
  const std::string git = dir_.write(
      "git", "#!/bin/sh\nmktemp " + dir_.file("run-XXXXXXXX") + " >/dev/null\nexec git \"$@\"\n");
  fs::permissions(git, fs::perms::owner_all);
  const auto listing = opened(clone_, {.program = git})->list(any_file);
  ASSERT_TRUE(listing) << listing.error().detail;
  EXPECT_EQ(listing->unread.size(), 3000U);
  const fs::directory_iterator all(dir_.path());
  EXPECT_LT(std::distance(begin(all), end(all)), 10);
}

TEST_F(GitPartial, ALinkWhoseTextIsAbsentIsAbsent) {
  repository_.write("README.md", "x");
  repository_.link("README.md", "README");
  repository_.commit();
  clone("blob:none");
  EXPECT_THAT(listed(*opened(clone_)), ElementsAre("README!absent", "README.md!absent"));
}

TEST_F(GitPartial, ACloneWithoutTreesIsAFaultInOneSentence) {
  repository_.write("d/a", "a");
  repository_.commit();
  clone("tree:0");
  const std::string fault = fault_of(clone_);
  EXPECT_TRUE(fault.starts_with("git: ")) << fault;
  EXPECT_EQ(fault.find('\n'), fault.npos);
}

}  // namespace
}  // namespace tanggul::git
