#include "support/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>

#include "support/tanggul_process.h"

namespace tanggul::test {
namespace {

using namespace std::chrono_literals;

TEST(Process, GivesStatusAndOutput) {
  const CommandResult r = run_command(
      {.args = {"sh", "-c", "echo $A; echo no >&2; pwd; exit 3"}, .env = {{"A", "x"}}, .cwd = "/"});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.out, "x\n/\n");
  EXPECT_EQ(r.err, "no\n");
  EXPECT_EQ(run_command({.args = {"no-such-program-anywhere"}}).status, 127);
}

TEST(Process, WaitsForALineAndIsKilledAtTheEnd) {
  pid_t pid = 0;
  {
    Process p({.args = {"sh", "-c", "echo ready; exec sleep 1000"}});
    pid = p.pid();
    EXPECT_TRUE(p.wait_for_output("ready", 30s));
    EXPECT_FALSE(p.wait(0ms).has_value());
    EXPECT_GT(p.rss(), 0u);
    EXPECT_GE(p.open_files(), 3u);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(Process, TellsTheSignalThatEndedIt) {
  Process p({.args = {"sleep", "1000"}});
  p.signal(SIGTERM);
  EXPECT_EQ(p.wait(30s), 128 + SIGTERM);
}

TEST(Metrics, AreSummedOverTheSeriesThatCarryTheLabels) {
  const std::string text =
      "# TYPE a counter\na{x=\"1\",y=\"p,}q\"} 2\na{x=\"1\",y=\"r\"} 3\na{x=\"2\"} 4\nab 9\nb "
      "1.5\n";
  EXPECT_EQ(sum_of_series(text, "a{x=\"1\"}"), 5);
  EXPECT_EQ(sum_of_series(text, "a{y=\"p,}q\"}"), 2);
  EXPECT_EQ(sum_of_series(text, "a"), 9);
  EXPECT_EQ(sum_of_series(text, "b"), 1.5);
  EXPECT_TRUE(std::isnan(sum_of_series(text, "a{x=\"3\"}")));
}

}  // namespace
}  // namespace tanggul::test
