// What a start makes of the data directory that it is given.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

class DataDirectoryAtStart : public testing::Test {
 protected:
  std::vector<std::string> serve(const std::string& data) const {
    return {tanggul_binary(), "serve",   "--config",    config_,  "--listen",
            "127.0.0.1:0",    "--admin", "127.0.0.1:0", "--data", data};
  }

  // Exit status 1, and one line that names the directory.
  void expect_refused(const CommandResult& r, const std::string& data, const std::string& why) {
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_NE(r.err.find("data directory " + data), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  }

  ScriptedOrigin origin_{body_of(100)};
  TempDir dir_;
  const std::string config_ = dir_.write("c.yaml", generic_yaml(origin_));
};

TEST_F(DataDirectoryAtStart, ASecondProcessIsToldWhoHoldsIt) {
  TanggulProcess shield(generic_yaml(origin_));
  const auto second = run_command({.args = serve(shield.data_dir())}, 20s);
  expect_refused(second, shield.data_dir(),
                 "in use by process " + std::to_string(shield.process().pid()) + ";");
  EXPECT_EQ(get(shield.port(), "/o/a").status, 200);
  const pid_t before = shield.process().pid();
  shield.kill9();
  shield.start();  // refused if the lock had outlived its holder
  EXPECT_NE(shield.process().pid(), before);
}

TEST_F(DataDirectoryAtStart, OneOfTwoAtOnceWins) {
  for (int round = 0; round < 5; ++round) {
    const std::string data = dir_.file("data" + std::to_string(round));
    Process a({.args = serve(data)}), b({.args = serve(data)});
    const auto wins = [](Process& p) { return p.wait_for_output("is mounted at", 20s); };
    const bool a_won = wins(a), b_won = wins(b);
    EXPECT_NE(a_won, b_won) << a.err() << b.err();
    Process& winner = a_won ? a : b;
    winner.signal(SIGTERM);
    EXPECT_EQ(winner.wait(20s), 0);
    EXPECT_EQ((a_won ? b : a).wait(20s), 1);
  }
}

TEST_F(DataDirectoryAtStart, AFormatOfANewerProgramAndGarbageAreKept) {
  for (const std::string format : {"2\n", "garbage"}) {
    const std::string file = dir_.write("data/format", format);
    const std::string data = dir_.file("data");
    expect_refused(run_command({.args = serve(data)}, 20s), data, "format");
    EXPECT_EQ(read_file(file), format);
  }
}

// In a mount namespace of its own, gone with its shell.
class DataDirectoryOnAMount : public DataDirectoryAtStart {
 protected:
  void SetUp() override {
    const auto r = run_command({.args = {"unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"}});
    if (r.status != 0) GTEST_SKIP() << "no mount namespaces here: " << r.err;
  }

  CommandResult start_in(const std::string& prepare, const std::string& data) {
    std::string command = prepare + " && exec \"$@\"";
    std::vector<std::string> args = {"unshare", "-m", "sh", "-c", command, "sh"};
    for (const std::string& word : serve(data)) args.push_back(word);
    return run_command({.args = args}, 20s);
  }
};

TEST_F(DataDirectoryOnAMount, AReadOnlyOneIsRefused) {
  expect_refused(start_in("mount -t tmpfs -o ro none /mnt", "/mnt"), "/mnt", "Read-only");
  expect_refused(start_in("mount -t tmpfs -o ro none /mnt", "/mnt/d"), "/mnt/d", "Read-only");
}

TEST_F(DataDirectoryOnAMount, AFullOneIsRefusedAndWhatLiesThereIsKept) {
  const std::string copy = dir_.file("copy");
  const std::string fill =
      "mount -t tmpfs -o size=64k none /mnt && echo kept > /mnt/a && "
      "{ cat /dev/zero > /mnt/filling 2>/dev/null; true; }";
  const auto r =
      run_command({.args = {"unshare", "-m", "sh", "-c",
                            fill + " && { \"$@\"; s=$?; cp /mnt/a " + copy + "; exit $s; }", "sh",
                            tanggul_binary(), "serve", "--config", config_, "--listen",
                            "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", "/mnt"}},
                  20s);
  expect_refused(r, "/mnt", "No space left");
  EXPECT_EQ(read_file(copy), "kept\n");
}

}  // namespace
}  // namespace tanggul::test
