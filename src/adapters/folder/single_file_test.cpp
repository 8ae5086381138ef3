#include "adapters/folder/single_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST(SingleFile, IsATreeOfOneFileUnderItsOwnName) {
  const test::TempDir dir;
  const auto tree = std::move(SingleFile::open(dir.write("a/README.md", "read me"))).value();
  EXPECT_THAT(in_words(*tree->list(any_file)), ElementsAre("README.md=7"));
  EXPECT_THAT(in_words(*tree->list([](auto) { return false; })), IsEmpty());
  EXPECT_EQ(text_of(*tree, "README.md"), "read me");
  EXPECT_EQ(text_of(*tree, "README.md", 4), "read");
  EXPECT_EQ(text_of(*tree, "other"), "!absent");
}

TEST(SingleFile, ALinkThatTheUserNamesIsFollowed) {
  const test::TempDir dir, other;
  std::filesystem::create_symlink(other.write("x", "there"), dir.file("link"));
  const auto tree = std::move(SingleFile::open(dir.file("link"))).value();
  EXPECT_THAT(in_words(*tree->list(any_file)), ElementsAre("link=5"));
  EXPECT_EQ(text_of(*tree, "link"), "there");
}

TEST(SingleFile, APipeIsUnread) {
  const test::TempDir dir;
  ASSERT_EQ(::mkfifo(dir.file("pipe").c_str(), 0644), 0);
  const auto tree = std::move(SingleFile::open(dir.file("pipe"))).value();
  EXPECT_THAT(in_words(*tree->list(any_file)), ElementsAre("pipe!not_regular"));
  EXPECT_EQ(text_of(*tree, "pipe"), "!not_regular");
}

TEST(SingleFile, AFileThatVanishesIsAbsent) {
  const test::TempDir dir;
  const std::string path = dir.write("x", "x");
  const auto tree = std::move(SingleFile::open(path)).value();
  std::filesystem::remove(path);
  EXPECT_EQ(text_of(*tree, "x"), "!absent");
}

TEST(SingleFile, WhatIsNoFileIsAnErrorInOneSentence) {
  const test::TempDir dir;
  EXPECT_EQ(SingleFile::open(dir.path()).error().detail, dir.path() + ": Is a directory");
  EXPECT_EQ(SingleFile::open(dir.file("x")).error().detail,
            dir.file("x") + ": No such file or directory");
}

}  // namespace
}  // namespace tanggul::folder
