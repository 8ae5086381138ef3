#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/repository_for_test.h"

namespace tanggul::git {
namespace {

using testing::ElementsAre;

TEST(GitLinks, AreFollowedInsideTheTreeAlone) {
  const RepositoryForTest repository;
  repository.write("docs/guide.md", "guide");
  repository.write("v2/README.md", "two");
  repository.link("docs/guide.md", "README.md");
  repository.link("README.md", "chain");
  repository.link("../README.md", "docs/up");
  repository.link("v2", "latest");
  repository.link("latest/README.md", "through");
  repository.link("loop", "loop");
  repository.link("/etc/passwd", "absolute");
  repository.link("../../../../../../etc/passwd", "out");
  repository.link("/etc", "out-folder");
  repository.link("out-folder/passwd", "through-out-folder");
  repository.link("nothing", "dangling");
  repository.link(".git/config", "git-config");
  repository.link("docs/guide.md/x", "below-a-file");
  repository.commit();
  const auto tree = opened(repository.path());
  EXPECT_THAT(
      listed(*tree),
      ElementsAre("README.md=5", "chain=5", "docs/guide.md=5", "docs/up=5", "through=3",
                  "v2/README.md=3", "absolute!outside", "below-a-file!dangling",
                  "dangling!dangling", "git-config!dangling", "latest!not_regular", "loop!loop",
                  "out!outside", "out-folder!outside", "through-out-folder!outside"));
  EXPECT_EQ(text_of(*tree, "through"), "two");
  EXPECT_EQ(text_of(*tree, "docs/up"), "guide");
  EXPECT_EQ(text_of(*tree, "absolute"), "!absent") << "not of the listing's files";
}

TEST(GitLinks, OnlyWantedOnesAreFollowed) {
  const RepositoryForTest repository;
  repository.link("/etc/passwd", "other");
  repository.link("other-file", "README");
  repository.write("other-file", "x");
  repository.commit();
  const auto listing =
      opened(repository.path())->list([](std::string_view path) { return path == "README"; });
  EXPECT_THAT(in_words(*listing), ElementsAre("README=1"));
}

TEST(GitLinks, SixHopsAreTooMany) {
  const RepositoryForTest repository;
  for (int i = 0; i < 6; ++i) repository.link("l" + std::to_string(i + 1), "l" + std::to_string(i));
  repository.write("l6", "x");
  repository.commit();
  EXPECT_THAT(listed(*opened(repository.path())),
              ElementsAre("l1=1", "l2=1", "l3=1", "l4=1", "l5=1", "l6=1", "l0!loop"));
}

// What no file system can hold.
TEST(GitLinks, ATargetThatIsNoPathIsUnreadable) {
  const RepositoryForTest repository;
  repository.write("long", std::string(1_MiB, 'x'));
  repository.write("zero", std::string("a\0b", 3));
  const std::string long_id = repository.git({"hash-object", "-w", "long"});
  const std::string zero_id = repository.git({"hash-object", "-w", "zero"});
  repository.git({"update-index", "--add", "--cacheinfo", "120000," + long_id + ",long-link"});
  repository.git({"update-index", "--add", "--cacheinfo", "120000," + zero_id + ",zero-link"});
  repository.git({"commit", "-q", "-m", "x"});
  EXPECT_THAT(listed(*opened(repository.path())),
              ElementsAre("long-link!unreadable", "zero-link!unreadable"));
}

}  // namespace
}  // namespace tanggul::git
