#include "adapters/folder/folder_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "support/temp_dir.h"
#include "support/tree_reading.h"

namespace tanggul::folder {
namespace {

using test::any_file;
using test::in_words;
using test::text_of;
using testing::ElementsAre;
using testing::IsEmpty;

class FolderTreeTest : public testing::Test {
 protected:
  FolderTree& tree(WalkBounds bounds = {}) {
    tree_ = std::move(FolderTree::open(dir_.path(), bounds)).value();
    return *tree_;
  }
  std::vector<std::string> listed() { return in_words(*tree().list(any_file)); }
  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, dir_.file(name));
  }

  const test::TempDir dir_;
  std::unique_ptr<FolderTree> tree_;
};

// The rights of a user who may not read everything, where the tests run as root.
class Unprivileged {
 public:
  explicit Unprivileged(const std::string& dir) : was_root_(::geteuid() == 0) {
    if (!was_root_) return;
    ::chmod(dir.c_str(), 0755);
    EXPECT_EQ(::seteuid(65534), 0);
    ::prctl(PR_SET_DUMPABLE, 1);  // lost with the user; /proc/self would be root's
  }
  ~Unprivileged() {
    if (was_root_) EXPECT_EQ(::seteuid(0), 0);
    ::prctl(PR_SET_DUMPABLE, 1);
  }

 private:
  const bool was_root_;
};

TEST_F(FolderTreeTest, ListsWhatIsWantedByPathAndReadsIt) {
  dir_.write("b/README.md", "read me");
  dir_.write("a.txt", "not wanted");
  dir_.write("README.md", "");
  dir_.write("b-c/README.md", "x");
  const auto listing =
      tree().list([](std::string_view path) { return path.ends_with("README.md"); });
  ASSERT_TRUE(listing);
  EXPECT_THAT(in_words(*listing), ElementsAre("README.md=0", "b-c/README.md=1", "b/README.md=7"));
  EXPECT_FALSE(listing->more);
  EXPECT_EQ(text_of(*tree_, "b/README.md"), "read me");
}

TEST_F(FolderTreeTest, WhatBelongsToGitIsNotLookedAt) {
  dir_.write(".git/config", "x");
  dir_.write("sub/.git", "gitdir: elsewhere");
  dir_.write(".github/x", "x");
  EXPECT_THAT(listed(), ElementsAre(".github/x=1"));
}

TEST_F(FolderTreeTest, NamesAreBytes) {
  dir_.write("with space", "1");
  dir_.write("with\nnewline", "2");
  dir_.write("na\xc3\xafve", "3");
  dir_.write("not \xff utf-8", "4");
  dir_.write("-dash", "5");
  EXPECT_THAT(listed(), ElementsAre("-dash=1", "na\xc3\xafve=1", "not \xff utf-8=1",
                                    "with\nnewline=1", "with space=1"));
  EXPECT_EQ(text_of(*tree_, "not \xff utf-8"), "4");
  EXPECT_EQ(text_of(*tree_, "with\nnewline"), "2");
}

TEST_F(FolderTreeTest, LinksAreFollowedInsideAlone) {
  const test::TempDir outside;
  outside.write("secret", "secret");
  dir_.write("docs/guide.md", "guide");
  link("docs/guide.md", "README.md");
  link("README.md", "chain");
  link("docs", "folder");
  link("folder/guide.md", "through");
  link("loop", "loop");
  link(outside.file("secret"), "absolute");
  link(dir_.file("docs/guide.md"), "absolute-inside");
  link("../" + outside.path().substr(outside.path().rfind('/') + 1) + "/secret", "out");
  link(outside.path(), "out-folder");
  link("out-folder/secret", "through-out-folder");
  link("nothing", "dangling");
  EXPECT_THAT(
      listed(),
      ElementsAre("README.md=5", "chain=5", "docs/guide.md=5", "through=5", "absolute!outside",
                  "absolute-inside!outside", "dangling!dangling", "folder!not_regular", "loop!loop",
                  "out!outside", "out-folder!outside", "through-out-folder!outside"));
  EXPECT_EQ(text_of(*tree_, "through"), "guide");
  EXPECT_EQ(text_of(*tree_, "chain"), "guide");
}

TEST_F(FolderTreeTest, ReadsNothingOutsideWhateverItIsAsked) {
  dir_.write("a/x", "x");
  EXPECT_EQ(text_of(tree(), "../etc/passwd"), "!outside");
  EXPECT_EQ(text_of(tree(), "/etc/passwd"), "!outside");
  EXPECT_EQ(text_of(tree(), "a/../../../etc/passwd"), "!outside");
  EXPECT_EQ(text_of(tree(), "a"), "!not_regular");
  EXPECT_EQ(text_of(tree(), ""), "!not_regular");
  EXPECT_EQ(text_of(tree(), "a/x/y"), "!absent");
}

TEST_F(FolderTreeTest, PipesSocketsAndDevicesAreNeverOpened) {
  ASSERT_EQ(::mkfifo(dir_.file("pipe").c_str(), 0644), 0);
  link("pipe", "to-pipe");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  dir_.file("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
  std::vector<std::string> expected{"pipe!not_regular", "socket!not_regular",
                                    "to-pipe!not_regular"};
  if (::mknod(dir_.file("device").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    expected.insert(expected.begin(), "device!not_regular");
  }
  EXPECT_EQ(listed(), expected);
  EXPECT_EQ(text_of(*tree_, "pipe"), "!not_regular");
  // A pipe that had been opened for reading would take a writer.
  EXPECT_EQ(::open(dir_.file("pipe").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1);
  EXPECT_EQ(errno, ENXIO);
}

TEST_F(FolderTreeTest, WhatMayNotBeReadIsUnreadAndTheRestIsThere) {
  dir_.write("open", "x");
  dir_.write("locked/README", "x");
  dir_.write("file", "x");
  ::chmod(dir_.file("file").c_str(), 0);
  ::chmod(dir_.file("locked").c_str(), 0);
  {
    const Unprivileged user(dir_.path());
    EXPECT_THAT(listed(), ElementsAre("file=1", "open=1", "locked!unreadable"));
    EXPECT_EQ(text_of(*tree_, "file"), "!unreadable");
    EXPECT_EQ(text_of(*tree_, "open"), "x");
  }
  ::chmod(dir_.file("locked").c_str(), 0700);
}

TEST_F(FolderTreeTest, FoldersBeyondTheDepthAreLeftOutAndSaidToBe) {
  std::string path = "d";
  for (int i = 1; i < 100; ++i) path += "/d";
  dir_.write(path + "/README", "x");
  dir_.write("README", "x");
  const auto listing = tree().list(any_file);
  EXPECT_THAT(in_words(*listing), ElementsAre("README=1"));
  EXPECT_TRUE(listing->more);
  const auto deeper = tree({.depth = 100}).list(any_file);
  EXPECT_EQ(deeper->files.size(), 2U);
  EXPECT_FALSE(deeper->more);
}

TEST_F(FolderTreeTest, NamesBeyondTheBoundAreLeftOutAndSaidToBe) {
  for (int i = 0; i < 20; ++i) dir_.write("f" + std::to_string(i), "x");
  EXPECT_FALSE(tree({.names = 20}).list(any_file)->more);
  const auto listing = tree({.names = 19}).list(any_file);
  EXPECT_EQ(listing->files.size(), 19U);
  EXPECT_TRUE(listing->more);
}

TEST_F(FolderTreeTest, ALimitOrTheSinkEndsAReading) {
  dir_.write("large", std::string(1_MiB, 'x'));
  std::size_t given = 0;
  const auto count = [&](std::string_view piece) {
    given += piece.size();
    return true;
  };
  EXPECT_FALSE(tree().read({"large", {}}, 100'000, count)->whole);
  EXPECT_EQ(given, 100'000U);
  EXPECT_TRUE(tree_->read({"large", {}}, 1_MiB, count)->whole) << "exactly as long as the limit";
  given = 0;
  const auto stopped = tree_->read({"large", {}}, 1_MiB, [&](std::string_view piece) {
    given += piece.size();
    return false;
  });
  EXPECT_FALSE(stopped->whole);
  EXPECT_LT(given, 1_MiB);
}

TEST_F(FolderTreeTest, AFolderThatIsNotThereIsAnErrorInOneSentence) {
  const auto none = FolderTree::open(dir_.file("none\n"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::io);
  EXPECT_EQ(none.error().detail, dir_.file("none?") + ": No such file or directory");
  EXPECT_FALSE(FolderTree::open(dir_.write("file", "x")));
}

TEST_F(FolderTreeTest, NoDescriptorIsLeftOpen) {
  dir_.write("a/b/c", "x");
  link("nothing", "dangling");
  link("a/b/c", "link");
  const std::size_t before = test::open_descriptors();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(listed().size(), 3U);
    EXPECT_EQ(text_of(*tree_, "link"), "x");
    EXPECT_EQ(text_of(*tree_, "gone"), "!absent");
    (void)tree({.names = 2, .depth = 1}).list(any_file);
  }
  tree_.reset();
  EXPECT_EQ(test::open_descriptors(), before);
}

}  // namespace
}  // namespace tanggul::folder
