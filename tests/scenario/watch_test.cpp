// `tanggul status --watch`, on a terminal and into a file.
#include <csignal>
#include <thread>

#include "scenario/scenario.h"
#include "support/pty.h"

namespace tanggul::test {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h", kLeave = "\x1b[?1049l", kHome = "\x1b[H";

std::vector<std::string> watching(const TanggulProcess& shield) {
  return {tanggul_binary(),   "status",     "--watch", "--admin",
          shield.admin_url(), "--interval", "100ms"};
}

// What was drawn from each return to the first line on, without what was not yet wholly there.
std::vector<std::string> frames(const std::string& output) {
  std::vector<std::string> out;
  for (auto at = output.find(kHome); at != std::string::npos;) {
    const auto next = output.find(kHome, at + kHome.size());
    if (next == std::string::npos) break;
    out.push_back(output.substr(at + kHome.size(), next - at - kHome.size()));
    at = next;
  }
  return out;
}

std::size_t widest(const std::string& frame) {
  std::size_t most = 0, now = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (frame[i] == '\x1b') {
      i = frame.find_first_of("mKJHhl", i);
    } else if (frame[i] == '\r' || frame[i] == '\n') {
      now = 0;
    } else {
      most = std::max(most, ++now);
    }
  }
  return most;
}

TEST(Watch, RedrawsInPlaceAndGivesTheTerminalBackAtCtrlC) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  Pty watch(watching(shield), 24, 120);
  for (std::size_t i = 0, from = 0; i < 4; ++i) {
    ASSERT_TRUE(watch.wait_for("tanggul ", from, 20s)) << watch.output();
    from = watch.output().size();
  }
  watch.type("\x03");  // Ctrl-C, as the terminal's own signal
  EXPECT_EQ(watch.wait(20s), 0);
  const std::string& out = watch.output();
  EXPECT_TRUE(out.starts_with(kEnter));
  EXPECT_NE(out.find(kLeave), std::string::npos);
  EXPECT_NE(out.find("\x1b[?25h"), std::string::npos);  // the cursor, too
  EXPECT_EQ(out.find(kLeave) + kLeave.size(), out.size());
  std::size_t drawn = 0;
  for (const std::string& frame : frames(out)) {
    EXPECT_LT(std::count(frame.begin(), frame.end(), '\n'), 24);
    EXPECT_LE(widest(frame), 120U);
    drawn += frame.find("ORIGIN") != std::string::npos;
    if (drawn > 0)
      EXPECT_EQ(frame.find("\x1b[2J"), std::string::npos);  // never emptied: no flicker
  }
  EXPECT_GE(drawn, 3U);
}

TEST(Watch, EndsWellAtSigterm) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  Pty watch(watching(shield), 24, 120);
  ASSERT_TRUE(watch.wait_for("ORIGIN", 0, 20s));
  watch.signal(SIGTERM);
  EXPECT_EQ(watch.wait(20s), 0);
  EXPECT_TRUE(watch.output().ends_with(kLeave));
}

TEST(Watch, CutsLinesInANarrowWindowAndFollowsItsSize) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  Pty watch(watching(shield), 4, 30);
  ASSERT_TRUE(watch.wait_for("ORIGIN", 0, 20s));
  const std::size_t narrow = watch.output().size();
  for (const std::string& frame : frames(watch.output())) {
    EXPECT_LE(widest(frame), 30U);
    EXPECT_LT(std::count(frame.begin(), frame.end(), '\n'), 4);
  }
  watch.resize(24, 120);
  EXPECT_TRUE(watch.wait_for("GATES", narrow, 20s));
}

TEST(Watch, SaysInPlaceThatTheShieldIsGoneAndGoesOn) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  Pty watch(watching(shield), 24, 120);
  ASSERT_TRUE(watch.wait_for("The origin is well.", 0, 20s));
  shield.kill9();
  ASSERT_TRUE(watch.wait_for("No shield answers at ", watch.output().size(), 20s));
  EXPECT_TRUE(watch.wait_for("What it told ", watch.output().size(), 20s));
  const std::size_t gone = watch.output().size();
  shield.start();
  ASSERT_TRUE(watch.wait_for("\x1b[Htanggul ", gone, 20s)) << watch.output().substr(gone);
  watch.signal(SIGINT);
  EXPECT_EQ(watch.wait(20s), 0);
  EXPECT_EQ(watch.output().find(kLeave), watch.output().rfind(kLeave));  // one screen throughout
}

TEST(Watch, GivesTheTerminalBackWhileItIsSuspended) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  Pty watch(watching(shield), 24, 120);
  ASSERT_TRUE(watch.wait_for("ORIGIN", 0, 20s));
  watch.signal(SIGTSTP);
  ASSERT_TRUE(watch.wait_until_stopped(20s));
  ASSERT_TRUE(watch.wait_for(kLeave, 0, 20s));
  const std::size_t left = watch.output().size();
  watch.signal(SIGCONT);
  ASSERT_TRUE(watch.wait_for(kEnter, left, 20s));
  ASSERT_TRUE(watch.wait_for("ORIGIN", left, 20s));
  watch.signal(SIGINT);
  EXPECT_EQ(watch.wait(20s), 0);
}

TEST(Watch, IntoAFilePrintsBlocksWithAnEmptyLineBetween) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  Process watch({.args = watching(shield)});
  const auto count = [&](std::string_view what) {
    const std::string out = watch.out();
    std::size_t n = 0;
    for (auto at = out.find(what); at != std::string::npos; at = out.find(what, at + 1)) ++n;
    return n;
  };
  ASSERT_TRUE(eventually([&] { return count("ORIGIN") >= 3; }));
  shield.kill9();
  EXPECT_TRUE(watch.wait_for_output("\n\nNo shield answers at ", 20s));
  watch.signal(SIGINT);
  EXPECT_EQ(watch.wait(20s), 0);
  EXPECT_GE(count("ORIGIN"), 3U);
  EXPECT_GE(count("\n\ntanggul "), 2U);
  EXPECT_EQ(watch.out().find('\x1b'), std::string::npos);
}

TEST(Watch, AsJsonIsALineEach) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  auto args = watching(shield);
  args.emplace_back("--json");
  Process watch({.args = args});
  EXPECT_TRUE(watch.wait_for_output("}\n{\"version\"", 20s)) << watch.out();
  watch.signal(SIGTERM);
  EXPECT_EQ(watch.wait(20s), 0);
}

}  // namespace
}  // namespace tanggul::test
