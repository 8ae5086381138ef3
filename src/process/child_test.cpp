#include "process/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "support/eventually.h"
#include "support/temp_dir.h"

namespace tanggul::process {
namespace {

using testing::HasSubstr;

std::unique_ptr<Child> shell(const std::string& script, ChildLimits limits = {}) {
  return std::move(Child::start({{"sh", "-c", script}, {"PATH=/usr/bin:/bin"}}, limits)).value();
}

std::string output(Child& child) {
  std::string out;
  for (;;) {
    const auto bytes = child.read();
    if (!bytes) return out + "!" + std::string(name(bytes.error().code));
    if (bytes->empty()) return out;
    out += *bytes;
  }
}

TEST(Child, ItsOutputAndItsStatusAreHad) {
  const auto child = shell("echo out; exit 3");
  EXPECT_EQ(output(*child), "out\n");
  EXPECT_EQ(*child->wait(), 3);
}

TEST(Child, AnswersWhatItIsAsked) {
  const auto child = shell("while read line; do echo \"<$line>\"; done");
  for (const std::string word : {"a", "b"}) {
    ASSERT_TRUE(child->write(word + "\n"));
    EXPECT_EQ(*child->read(), "<" + word + ">\n");
  }
}

TEST(Child, OneThatHasDiedTakesNothingAndItsOutputEnds) {
  const auto child = shell("exit 0");
  EXPECT_EQ(output(*child), "");
  EXPECT_EQ(*child->wait(), 0);
  EXPECT_FALSE(child->write("anything"));
}

TEST(Child, SilenceEndsTheWaiting) {
  const auto child = shell("echo one; kill -STOP $$", {.silence = 100ms});
  EXPECT_EQ(output(*child), "one\n!stalled");
}

TEST(Child, ThatClosesItsOutputAndStaysIsNotWaitedForForEver) {
  const auto child = shell("exec >&- 2>&-; kill -STOP $$", {.silence = 100ms});
  EXPECT_EQ(output(*child), "");
  EXPECT_EQ(child->wait().error().code, Errc::stalled);
}

TEST(Child, NoWaitingGoesPastTheEndOfAll) {
  const auto child = shell("kill -STOP $$", {.silence = 1h, .until = MonoClock::now() + 100ms});
  EXPECT_EQ(output(*child), "!stalled");
}

TEST(Child, WhatItSaysIsKeptInPartAndHoldsItUpNever) {
  const auto child = shell(
      "i=0; while [ $i -lt 20000 ]; do echo warning: something >&2; i=$((i+1)); done; echo done");
  EXPECT_EQ(output(*child), "done\n");
  EXPECT_EQ(*child->wait(), 0);
  EXPECT_EQ(child->complaint(), "something");
}

TEST(Child, ItsFatalWordIsItsComplaint) {
  const auto child = shell("printf 'warning: a\\nfatal: b\\033[31m\\377\\nhint: c\\n' >&2");
  EXPECT_EQ(*child->wait(), 0);
  EXPECT_EQ(child->complaint(), "b?[31m?");
}

TEST(Child, EndsWithItsWholeGroup) {
  const test::TempDir dir;
  auto child = shell("sleep 1000 & echo $!; wait");
  const pid_t grandchild = std::stoi(std::string(*child->read()));
  EXPECT_EQ(::kill(grandchild, 0), 0);
  child.reset();
  // Not ours to reap: it is gone, or waits for whoever reaps orphans.
  EXPECT_TRUE(test::eventually([&] {
    const std::string stat = test::read_file("/proc/" + std::to_string(grandchild) + "/stat");
    return stat.empty() || stat.find(") Z") != stat.npos;
  }));
}

TEST(Child, HasNothingOfOurs) {
  const auto child = shell(
      "ls /proc/self/fd | wc -l; pwd; env | grep -v ^PWD= | grep -v ^_= | "
      "grep -v ^OLDPWD= | grep -v ^SHLVL=; ulimit -f");
  EXPECT_EQ(output(*child), "4\n/\nPATH=/usr/bin:/bin\n0\n");
}

TEST(Child, CannotTakeAllMemory) {
  const auto child = shell("exec python3 -c 'x = bytearray(2 << 30)'");
  EXPECT_EQ(output(*child), "");
  EXPECT_NE(*child->wait(), 0);
}

}  // namespace
}  // namespace tanggul::process
