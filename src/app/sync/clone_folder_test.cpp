#include "app/sync/clone_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_dir.h"

namespace tanggul::app {
namespace {

namespace fs = std::filesystem;

TEST(CloneFolder, IsRemovedWithItsWorker) {
  const test::TempDir dir;
  auto folder = std::move(CloneFolder::open(dir.file("clones"))).value();
  const std::string path = folder->path();
  EXPECT_TRUE(fs::is_directory(path));
  fs::create_directories(path + "/slot/objects");
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(CloneFolder, ThoseOfDeadWorkersAreRemovedAndThoseOfOthersStay) {
  const test::TempDir dir;
  const auto alive = std::move(CloneFolder::open(dir.file("clones"))).value();
  const std::string left = dir.file("clones/left");
  fs::create_directories(left + "/slot");
  dir.write("clones/left.lock", "");
  const auto next = std::move(CloneFolder::open(dir.file("clones"))).value();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(left + ".lock"));
  EXPECT_TRUE(fs::exists(alive->path()));
  EXPECT_NE(alive->path(), next->path());
}

TEST(CloneFolder, WhereNothingCanBeMadeThereIsNone) {
  const test::TempDir dir;
  dir.write("clones", "a file");
  const auto folder = CloneFolder::open(dir.file("clones"));
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, Errc::io);
}

}  // namespace
}  // namespace tanggul::app
