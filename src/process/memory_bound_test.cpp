#include "process/memory_bound.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "process/child.h"
#include "support/temp_dir.h"

namespace tanggul::process {
namespace {

namespace fs = std::filesystem;

// A program that takes memory by and by, one that it starts taking as much again.
std::unique_ptr<Child> eater(const MemoryBound& bound, int mebibytes, const char* also = "") {
  const std::string script =
      std::string("import os, time\n") + also + "x = []\nfor i in range(" +
      std::to_string(mebibytes) +
      " // 4):\n  x.append(bytearray(os.urandom(1 << 12)) * 1024)\nprint(len(x))\n";
  ChildLimits limits;
  limits.memory = 4_GiB;
  limits.silence = 20ms;
  limits.join = bound.join();
  return std::move(Child::start({{"python3", "-c", script}, {"PATH=/usr/local/bin:/usr/bin:/bin"}},
                                limits))
      .value();
}

// Until it has ended, or is over its limit; true: the latter.
bool goes_over(MemoryBound& bound, Child& child) {
  for (;;) {
    const auto bytes = child.read();
    if (bound.exceeded(child.pid())) return true;
    if (!bytes && bytes.error().code == Errc::stalled) continue;
    if (!bytes || bytes->empty()) return bound.exceeded(child.pid());
  }
}

void holds(MemoryBound& bound) {
  auto modest = eater(bound, 16);
  EXPECT_FALSE(goes_over(bound, *modest));
  modest.reset();
  bound.reset();
  auto greedy = eater(bound, 2000);
  EXPECT_TRUE(goes_over(bound, *greedy));
  greedy.reset();
  EXPECT_NEAR(static_cast<double>(bound.peak()), 128.0 * 1_MiB, 12.8 * 1_MiB);
  bound.reset();
  auto next = eater(bound, 16);
  EXPECT_FALSE(goes_over(bound, *next)) << "the one before has left something";
}

TEST(MemoryBound, TheBestThatIsHereStopsAChildAtItsLimit) {
  const auto bound = MemoryBound::make(128_MiB, "test");
  RecordProperty("mechanism", std::string(name(bound->mechanism())));
  holds(*bound);
}

TEST(MemoryBound, PollingEndsAChildAtItsLimit) { holds(*MemoryBound::make_polling(128_MiB)); }

TEST(MemoryBound, WhatAChildHasStartedCounts) {
  for (const bool polling : {false, true}) {
    const auto bound =
        polling ? MemoryBound::make_polling(128_MiB) : MemoryBound::make(128_MiB, "test");
    // Each is below the limit by itself.
    const auto both = eater(*bound, 80, "if os.fork() == 0: time.sleep(0)\n");
    EXPECT_TRUE(goes_over(*bound, *both)) << name(bound->mechanism());
  }
}

TEST(MemoryBound, IsPolledWhereThereAreNoGroups) {
  const test::TempDir dir;
  dir.write("mountinfo", "25 1 0:22 / / rw - ext4 /dev/root rw\ngarbage\n- - - -\n");
  dir.write("cgroup", "0::/a\n::\n");
  const auto bound = MemoryBound::make(1_MiB, "x", {dir.file("mountinfo"), dir.file("cgroup")});
  EXPECT_EQ(bound->mechanism(), MemoryMechanism::polling);
}

// A folder stands for the kernel's: what is written where is what can be told without one.
TEST(MemoryBound, GroupsLieBelowTheOneThatTheProcessIsIn) {
  const test::TempDir dir;
  const std::string own = dir.path() + "/memory/outer/inner";
  fs::create_directories(own + "/tanggul-999999999-old");  // no process has that number
  fs::create_directories(own + "/tanggul-1-alive");
  dir.write("mountinfo", "31 25 0:27 / " + dir.path() +
                             "/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n");
  dir.write("cgroup", "4:memory:/outer/inner\n0::/other\n");
  EXPECT_EQ(MemoryBound::make(1_MiB, "x", {dir.file("mountinfo"), dir.file("cgroup")})->mechanism(),
            MemoryMechanism::polling)
      << "no file to write the limit to";
  EXPECT_FALSE(fs::exists(own + "/tanggul-999999999-old"));
  EXPECT_TRUE(fs::exists(own + "/tanggul-1-alive"));
}

}  // namespace
}  // namespace tanggul::process
