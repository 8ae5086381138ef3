#include "app/service/data_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include "app/config/directory_for_test.h"

namespace tanggul::app {
namespace {

namespace fs = std::filesystem;

class DataDirectoryTest : public testing::Test {
 protected:
  std::string refusal(const std::string& path) {
    std::string error;
    EXPECT_EQ(DataDirectory::open(path, error), nullptr);
    EXPECT_NE(error.find("data directory " + path), std::string::npos) << error;
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 0) << error;
    return error;
  }

  static std::string text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(temporary_.path()))
      if (entry.is_regular_file()) out[entry.path().filename()] = text(entry.path());
    out.erase("lock");
    return out;
  }

  TemporaryDirectory temporary_;
  const std::string path_ = temporary_.path();
  std::string error_;
};

TEST_F(DataDirectoryTest, MakesWhatIsMissingForItsOwnerAlone) {
  const std::string path = path_ + "/a/b";
  ASSERT_NE(DataDirectory::open(path, error_), nullptr) << error_;
  EXPECT_EQ(text(path + "/format"), "1\n");
  EXPECT_FALSE(fs::exists(path + "/format.new"));
  struct stat about;
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0750U);
}

TEST_F(DataDirectoryTest, TakesADirectoryFromBeforeTheFormatFileAsTheFirstFormat) {
  temporary_.file("npm.registry", "kept");
  ASSERT_NE(DataDirectory::open(path_, error_), nullptr) << error_;
  EXPECT_EQ(files(),
            (std::map<std::string, std::string>{{"format", "1\n"}, {"npm.registry", "kept"}}));
}

TEST_F(DataDirectoryTest, IsHeldByOneUntilThatOneLetsGo) {
  auto first = DataDirectory::open(path_, error_);
  ASSERT_NE(first, nullptr) << error_;
  EXPECT_EQ(refusal(path_), "the data directory " + path_ + " is in use by process " +
                                std::to_string(::getpid()) + "; give this one another with --data");
  first.reset();
  EXPECT_NE(DataDirectory::open(path_, error_), nullptr) << error_;
}

TEST_F(DataDirectoryTest, ALockFileThatWasLeftBehindLocksNothing) {
  temporary_.file("lock", "1                  \n");
  EXPECT_NE(DataDirectory::open(path_, error_), nullptr) << error_;
  EXPECT_EQ(std::stol(text(path_ + "/lock")), ::getpid());
}

TEST_F(DataDirectoryTest, ARemovedLockFileIsMadeAnew) {
  EXPECT_NE(DataDirectory::open(path_, error_), nullptr);  // and closed again
  fs::remove(path_ + "/lock");
  const auto again = DataDirectory::open(path_, error_);
  EXPECT_NE(again, nullptr) << error_;
  refusal(path_);
}

TEST_F(DataDirectoryTest, ExactlyOneOfManyThatStartAtOnceGetsIt) {
  constexpr int kThreads = 8, kRounds = 40;
  std::atomic<int> won{0};
  std::vector<std::unique_ptr<DataDirectory>> held(kThreads);
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string path = path_ + "/" + std::to_string(round);
        std::string error;
        together.arrive_and_wait();
        held[static_cast<std::size_t>(t)] = DataDirectory::open(path, error);
        if (held[static_cast<std::size_t>(t)]) {
          ++won;
        } else {
          EXPECT_NE(error.find("in use by"), std::string::npos) << error;
        }
        together.arrive_and_wait();
        held[static_cast<std::size_t>(t)].reset();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(won, kRounds);
}

TEST_F(DataDirectoryTest, WhatANewerProgramWroteIsLeftAlone) {
  temporary_.file("format", "2\n");
  temporary_.file("index", "of format 2");
  const auto before = files();
  EXPECT_NE(refusal(path_).find("is of format 2"), std::string::npos);
  EXPECT_EQ(files(), before);
}

TEST_F(DataDirectoryTest, AFormatFileThatNamesNoneIsLeftAlone) {
  for (const std::string& garbage :
       {std::string(), std::string("0\n"), std::string("-1\n"), std::string("1 2\n"),
        std::string("\0\1\2", 3), std::string(100'000, '1'), std::string("99999999999999999999")}) {
    temporary_.file("format", garbage);
    const auto before = files();
    EXPECT_NE(refusal(path_).find("names no format"), std::string::npos) << garbage.substr(0, 20);
    EXPECT_EQ(files(), before);
  }
  fs::remove(path_ + "/format");
  fs::create_directory(path_ + "/format");
  refusal(path_);
}

TEST_F(DataDirectoryTest, AFormatThatWasNotFinishedIsWrittenAgain) {
  temporary_.file("format.new", "");
  ASSERT_NE(DataDirectory::open(path_, error_), nullptr) << error_;
  EXPECT_EQ(files(), (std::map<std::string, std::string>{{"format", "1\n"}}));
}

TEST_F(DataDirectoryTest, WhatIsNoDirectoryIsRefusedAndKept) {
  const std::string file = temporary_.file("a", "mine");
  refusal(file);
  refusal(file + "/below");
  refusal("/dev/null");
  refusal("/proc");
  EXPECT_EQ(text(file), "mine");
}

TEST_F(DataDirectoryTest, NothingIsWrittenThroughALinkOrIntoAPipe) {
  const std::string mine = temporary_.file("mine", "mine");
  const std::string path = path_ + "/d";
  fs::create_directory(path);
  fs::create_symlink(mine, path + "/lock");
  refusal(path);
  fs::remove(path + "/lock");
  fs::create_symlink(mine, path + "/format.new");
  refusal(path);
  EXPECT_EQ(text(mine), "mine");
  fs::remove(path + "/lock");
  ASSERT_EQ(::mkfifo((path + "/lock").c_str(), 0600), 0);
  refusal(path);
}

}  // namespace
}  // namespace tanggul::app
