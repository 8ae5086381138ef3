#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "adapters/folder/folder_tree.h"
#include "support/temp_dir.h"
#include "support/tree_reading.h"

namespace tanggul::folder {
namespace {

namespace fs = std::filesystem;
using test::any_file;
using test::text_of;

// What becomes of a folder while it is read.
class FolderSwap : public testing::Test {
 protected:
  FolderSwap() {
    outside_.write("README", "secret");
    dir_.write("docs/README", "harmless");
    tree_ = std::move(FolderTree::open(dir_.path())).value();
    EXPECT_EQ(tree_->list(any_file)->files.size(), 1U);
  }

  const test::TempDir dir_, outside_;
  std::unique_ptr<FolderTree> tree_;
};

TEST_F(FolderSwap, AFileThatVanishesIsAbsent) {
  fs::remove(dir_.file("docs/README"));
  EXPECT_EQ(text_of(*tree_, "docs/README"), "!absent");
}

TEST_F(FolderSwap, AFolderSwappedForALinkDoesNotLeadOut) {
  fs::rename(dir_.file("docs"), dir_.file("was"));
  fs::create_directory_symlink(outside_.path(), dir_.file("docs"));
  EXPECT_EQ(text_of(*tree_, "docs/README"), "!outside");
}

TEST_F(FolderSwap, AFileSwappedForALinkDoesNotLeadOut) {
  fs::remove(dir_.file("docs/README"));
  fs::create_symlink(outside_.file("README"), dir_.file("docs/README"));
  EXPECT_EQ(text_of(*tree_, "docs/README"), "!outside");
}

TEST_F(FolderSwap, AFileSwappedForAPipeIsNotOpened) {
  fs::remove(dir_.file("docs/README"));
  ASSERT_EQ(::mkfifo(dir_.file("docs/README").c_str(), 0644), 0);
  EXPECT_EQ(text_of(*tree_, "docs/README"), "!not_regular");
}

// The swap between the look at the names and the opening, which no test can time: that opening.
TEST_F(FolderSwap, OpeningFollowsNoLinkThatWasNoneBefore) {
  fs::create_directory_symlink(outside_.path(), dir_.file("swapped"));
  fs::create_directory_symlink("docs", dir_.file("inside"));
  const Descriptor root(::open(dir_.path().c_str(), O_PATH | O_CLOEXEC));
  EXPECT_EQ(locate_beneath(root.get(), "swapped/README").unread, ports::Unread::outside);
  EXPECT_EQ(locate_beneath(root.get(), "inside/README").unread, ports::Unread::outside);
  EXPECT_EQ(locate_beneath(root.get(), "docs/../../x").unread, ports::Unread::outside);
  EXPECT_EQ(locate_beneath(root.get(), "docs/README").unread, std::nullopt);
}

TEST_F(FolderSwap, AFileMayShrinkAndGrowWhileItIsRead) {
  const std::string path = dir_.write("docs/README", std::string(1_MiB, 'x'));
  ByteCount given = 0;
  const auto reading = tree_->read({"docs/README", 1_MiB}, 4_MiB, [&](std::string_view piece) {
    if (given == 0) fs::resize_file(path, 300'000);
    given += piece.size();
    return true;
  });
  EXPECT_TRUE(reading->whole);
  EXPECT_EQ(given, 300'000U);
  given = 0;
  (void)tree_->read({"docs/README", 300'000}, 4_MiB, [&](std::string_view piece) {
    if (given == 0) fs::resize_file(path, 500'000);
    given += piece.size();
    return true;
  });
  EXPECT_EQ(given, 500'000U);
}

TEST_F(FolderSwap, TheRootIsTheFolderThatWasOpenedWhateverHasItsName) {
  const test::TempDir other;
  fs::rename(dir_.path(), other.file("moved"));
  fs::create_directory_symlink(outside_.path(), dir_.path());
  EXPECT_EQ(text_of(*tree_, "docs/README"), "harmless");
  fs::remove(dir_.path());
}

}  // namespace
}  // namespace tanggul::folder
