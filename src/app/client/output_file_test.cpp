#include "app/client/output_file.h"

#include <gtest/gtest.h>

#include <iterator>

#include "app/config/directory_for_test.h"

namespace tanggul::app {
namespace {

std::size_t files_in(const std::string& directory) {
  const std::filesystem::directory_iterator files(directory);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(OutputFile, AppearsWhenItIsWhole) {
  const TemporaryDirectory dir;
  const std::string path = dir.file("out", "before");
  OutputFile file(path);
  EXPECT_TRUE(file.write("hello "));
  EXPECT_TRUE(file.write("world\n"));
  EXPECT_EQ(InputFile(path).size(), 6U);
  EXPECT_EQ(file.sha256(), Digest::of(DigestKind::sha256, "hello world\n"));
  EXPECT_TRUE(file.publish());
  EXPECT_EQ(InputFile(path).size(), 12U);
  EXPECT_EQ(files_in(dir.path()), 1U);
}

TEST(OutputFile, LeavesNothingWhenItIsNotPublished) {
  const TemporaryDirectory dir;
  const std::string path = dir.path() + "/out";
  {
    OutputFile file(path);
    EXPECT_TRUE(file.write("hello"));
    EXPECT_EQ(files_in(dir.path()), 1U);
  }
  EXPECT_EQ(files_in(dir.path()), 0U);
}

TEST(OutputFile, TellsThatItCannotBeWritten) {
  OutputFile file("/no/such/directory/out");
  EXPECT_FALSE(file.write("hello"));
  EXPECT_FALSE(file.publish());
}

TEST(InputFile, IsAPlainFileOnly) {
  const TemporaryDirectory dir;
  EXPECT_TRUE(InputFile(dir.file("out", "")).is_file());
  EXPECT_FALSE(InputFile(dir.path()).is_file());
  EXPECT_FALSE(InputFile(dir.path() + "/nothing").is_file());
}

}  // namespace
}  // namespace tanggul::app
