#include "shield/untold_purges.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace tanggul::shield {
namespace {

const ports::SharedPurge kOne{.rule = 1, .what = "self\no\x1f/a b"};
const ports::SharedPurge kTwo{.rule = 2, .what = std::string("self\n\0\n", 7)};

class Folder {
 public:
  Folder() { std::filesystem::create_directory(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("untold-" + std::to_string(std::random_device()()));
};

std::vector<std::string> former(const std::string& file) {
  std::vector<std::string> out;
  for (const auto& p : UntoldPurges(file).former()) out.push_back(std::to_string(p.rule) + p.what);
  return out;
}

TEST(UntoldPurges, AreKnownToTheNextProcessUntilTheyAreTold) {
  const Folder dir;
  const std::string file = dir.file("untold");
  {
    UntoldPurges untold(file);
    EXPECT_TRUE(untold.add(kOne));
    EXPECT_TRUE(untold.add(kTwo));
  }
  EXPECT_EQ(former(file), (std::vector<std::string>{"1" + kOne.what, "2" + kTwo.what}));
  for (int start = 0; start < 3; ++start) {
    UntoldPurges again(file);
    EXPECT_EQ(again.former().size(), 2U);
    EXPECT_TRUE(again.take_over({kOne, kTwo}));
  }
  UntoldPurges untold(file);
  EXPECT_TRUE(untold.take_over({kOne, kTwo}));
  untold.told(kOne);
  EXPECT_FALSE(former(file).empty());
  untold.told(kTwo);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(UntoldPurges, ATornLineIsNone) {
  const Folder dir;
  const std::string file = dir.file("untold");
  EXPECT_TRUE(UntoldPurges(file).add(kOne));
  std::ofstream(file, std::ios::app) << "2 c2Vs";
  EXPECT_EQ(former(file), std::vector<std::string>{"1" + kOne.what});
  std::ofstream(file, std::ios::app) << "\n\n300 aa==\nx y\n1 !\n";
  EXPECT_LE(former(file).size(), 2U);
}

TEST(UntoldPurges, WithoutAFileNothingIsWritten) {
  UntoldPurges untold("");
  EXPECT_TRUE(untold.add(kOne));
  untold.told(kOne);
  EXPECT_TRUE(untold.former().empty());
}

}  // namespace
}  // namespace tanggul::shield
