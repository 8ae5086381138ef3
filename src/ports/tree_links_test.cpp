#include "ports/tree_links.h"

#include <gtest/gtest.h>

#include <map>

namespace tanggul::ports {
namespace {

using Links = std::map<std::string, std::string>;

std::string led(std::string_view path, const Links& links) {
  const ResolvedPath end = resolved_in_tree(path, [&](const std::string& at) -> LinkAt {
    const auto link = links.find(at);
    return {link == links.end() ? std::nullopt : std::optional(link->second)};
  });
  return end.unread ? "!" + std::string(name(*end.unread)) : end.path;
}

TEST(TreeLinks, APathWithoutLinksStaysAsItIs) {
  EXPECT_EQ(led("README.md", {}), "README.md");
  EXPECT_EQ(led("a/b/c", {}), "a/b/c");
}

TEST(TreeLinks, ATargetIsRelativeToTheFolderOfItsLink) {
  EXPECT_EQ(led("docs/README", {{"docs/README", "../README.md"}}), "README.md");
  EXPECT_EQ(led("docs/README", {{"docs/README", "index.md"}}), "docs/index.md");
  EXPECT_EQ(led("docs/README", {{"docs/README", ".//./x//y/"}}), "docs/x/y");
}

TEST(TreeLinks, LinkedFoldersOnTheWayAreFollowed) {
  EXPECT_EQ(led("README", {{"README", "latest/README"}, {"latest", "v2"}}), "v2/README");
  EXPECT_EQ(led("README", {{"README", "deep/../x"}, {"deep", "a/b"}}), "a/x")
      << "'..' is taken where the link leads, as the kernel does";
}

TEST(TreeLinks, FiveHopsAreFollowedAndSixAreNot) {
  Links links;
  for (int i = 0; i < 5; ++i) links["l" + std::to_string(i)] = "l" + std::to_string(i + 1);
  EXPECT_EQ(led("l0", links), "l5");
  links["l5"] = "l6";
  EXPECT_EQ(led("l0", links), "!loop");
}

TEST(TreeLinks, ALoopEnds) {
  EXPECT_EQ(led("a", {{"a", "a"}}), "!loop");
  EXPECT_EQ(led("a", {{"a", "b/x"}, {"b", "a"}}), "!loop");
}

TEST(TreeLinks, NothingLeadsOut) {
  EXPECT_EQ(led("a", {{"a", "/etc/passwd"}}), "!outside");
  EXPECT_EQ(led("a", {{"a", "../a"}}), "!outside") << "even where it would come back";
  EXPECT_EQ(led("d/a", {{"d/a", "../../etc/passwd"}}), "!outside");
  EXPECT_EQ(led("a", {{"a", "d/etc"}, {"d", ".."}}), "!outside");
  EXPECT_EQ(led("../x", {}), "!outside");
  EXPECT_EQ(led("/etc/passwd", {}), "!outside");
}

TEST(TreeLinks, ALinkToTheRootIsTheRoot) {
  EXPECT_EQ(led("d/a", {{"d/a", ".."}}), "");
  EXPECT_EQ(led("a", {{"a", ""}}), "");
}

TEST(TreeLinks, ALinkWhoseTextCannotBeHadEndsTheWay) {
  const auto absent = [](const std::string&) -> LinkAt { return {std::nullopt, Unread::absent}; };
  const ResolvedPath end = resolved_in_tree("a/b", absent);
  EXPECT_EQ(end.unread, Unread::absent);
}

}  // namespace
}  // namespace tanggul::ports
