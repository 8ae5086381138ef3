// Build once: many workers ask for one key, one of them runs the command.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

namespace fs = std::filesystem;

// Workers of one shield, each with an output of its own. What the command does is counted in a
// file.
class Workers {
 public:
  explicit Workers(std::string_view yaml = "lease: 2s\norigins: {}\n") : shield_(yaml) {}

  TanggulProcess& shield() { return shield_; }
  std::string output(int n) const { return dir_.file("out" + std::to_string(n)); }
  std::string file(const std::string& name) const { return dir_.file(name); }
  // Sh, with $OUT and $RUNS: what a worker's command does.
  static std::string making(const std::string& text) {
    return "echo run >> \"$RUNS\"; printf '%s' '" + text + "' > \"$TANGGUL_ONCE_OUTPUT\"";
  }
  ProcessSpec spec(int n, const std::string& script, std::vector<std::string> more = {}) const {
    ProcessSpec s;
    s.args = {tanggul_binary(), "once", "--via",    shield_.url(),
              "--key",          "k",    "--output", output(n)};
    s.args.insert(s.args.end(), more.begin(), more.end());
    s.args.insert(s.args.end(), {"--", "sh", "-c", script});
    s.env = {{"RUNS", file("runs")}, {"GATE", file("gate")}};
    return s;
  }
  std::unique_ptr<Process> start(int n, const std::string& script,
                                 std::vector<std::string> more = {}) const {
    return std::make_unique<Process>(spec(n, script, std::move(more)));
  }
  CommandResult run(int n, const std::string& script, std::vector<std::string> more = {}) const {
    return run_command(spec(n, script, std::move(more)));
  }
  std::size_t runs() const {
    const std::string text = fs::exists(file("runs")) ? read_file(file("runs")) : std::string();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  bool await_runs(std::size_t n) const {
    return eventually([&] { return runs() >= n; });
  }
  void open_gate() const { std::ofstream(file("gate")) << "open"; }
  // `patience`: for another's build.
  std::string claim(std::string_view key = "k", std::chrono::seconds patience = 0s) const {
    RequestSpec spec;
    if (patience > 0s) spec.headers = {{"Prefer", "wait=" + std::to_string(patience.count())}};
    spec.method = "POST";
    spec.target = "/.tanggul/once/" + std::string(key);
    spec.body = R"({"who":"test"})";
    return send_request(shield_.port(), spec).body;
  }

 private:
  TempDir dir_;
  TanggulProcess shield_;
};

// Until the test opens the gate.
const std::string kHeld = "echo run >> \"$RUNS\"; while [ ! -e \"$GATE\" ]; do sleep 0.02; done; ";

std::string member(const std::string& json, const std::string& name) {
  const auto at = json.find("\"" + name + "\":");
  if (at == std::string::npos) return {};
  std::string value = json.substr(at + name.size() + 3);
  value = value.substr(0, value.find_first_of(",}"));
  std::erase(value, '"');
  return value;
}

RequestSpec put(const std::string& claim, std::string body, std::string_view digest_of) {
  RequestSpec spec;
  spec.method = "PUT";
  spec.target = "/.tanggul/once/k";
  spec.headers = {
      {"Tanggul-Lease", member(claim, "token")},
      {"Tanggul-Fence", member(claim, "fence")},
      {"Repr-Digest", "sha-256=:" + to_base64(Digest::of(DigestKind::sha256, digest_of)) + ":"}};
  spec.body = std::move(body);
  return spec;
}

TEST(Once, OfTwentyWorkersOneBuildsAndAllHaveItsFile) {
  Workers w;
  std::vector<std::unique_ptr<Process>> workers;
  for (int i = 0; i < 20; ++i)
    workers.push_back(w.start(i, kHeld + "printf 'built by %s' $$ > \"$TANGGUL_ONCE_OUTPUT\""));
  ASSERT_TRUE(w.await_runs(1));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(workers[i]->running());
  w.open_gate();
  for (auto& worker : workers) EXPECT_EQ(worker->wait(60s), 0) << worker->err();
  EXPECT_EQ(w.runs(), 1U);
  const std::string file = read_file(w.output(0));
  EXPECT_TRUE(file.starts_with("built by "));
  for (int i = 1; i < 20; ++i) EXPECT_EQ(read_file(w.output(i)), file);
  const auto status =
      run_command({.args = {tanggul_binary(), "status", "--admin", w.shield().admin_url()}});
  EXPECT_NE(status.out.find("BUILT ONCE"), std::string::npos) << status.out;
  EXPECT_TRUE(w.shield().process().wait_for_output("once k: built by", 10s));
  EXPECT_EQ(w.shield().metric("tanggul_uncaught_total"), 0);
}

TEST(Once, AnotherBuildsWhenTheBuilderHasDied) {
  Workers w;
  // A group of its own, all of which dies: the machine is gone.
  ProcessSpec spec = w.spec(0, "echo run >> \"$RUNS\"; echo $$ > \"$RUNS.pid\"; sleep 1000");
  Process dying(std::move(spec));
  ASSERT_TRUE(w.await_runs(1));
  ASSERT_TRUE(eventually([&] {
    return fs::exists(w.file("runs.pid")) &&
           read_file(w.file("runs.pid")).find('\n') != std::string::npos;
  }));
  const pid_t group = std::stoi(read_file(w.file("runs.pid")));
  const auto next = w.start(1, Workers::making("second"));
  ASSERT_TRUE(next->wait_for_output("is being built by", 30s));
  const MonoTime died = MonoClock::now();
  dying.signal(SIGKILL);
  ::kill(-group, SIGKILL);
  EXPECT_EQ(next->wait(60s), 0) << next->err();
  EXPECT_LT(MonoClock::now() - died, 10s);  // its lease was of 2 s
  EXPECT_EQ(w.runs(), 2U);
  EXPECT_EQ(read_file(w.output(1)), "second");
}

TEST(Once, ALeaseIsKeptAsLongAsItsCommandRuns) {
  Workers w("lease: 1s\norigins: {}\n");
  const auto builder = w.start(0, kHeld + "printf x > \"$TANGGUL_ONCE_OUTPUT\"");
  ASSERT_TRUE(w.await_runs(1));
  EXPECT_EQ(member(w.claim("k", 4s), "state"), "building");  // four times its length
  w.open_gate();
  EXPECT_EQ(builder->wait(30s), 0) << builder->err();
  EXPECT_EQ(w.runs(), 1U);
}

TEST(Once, AFailureIsToldToAllAndRemembered) {
  Workers w;
  std::vector<std::unique_ptr<Process>> workers;
  for (int i = 0; i < 5; ++i) workers.push_back(w.start(i, kHeld + "exit 7"));
  ASSERT_TRUE(w.await_runs(1));
  for (auto& worker : workers) EXPECT_TRUE(worker->running());
  w.open_gate();
  for (auto& worker : workers) EXPECT_EQ(worker->wait(60s), 7) << worker->err();
  EXPECT_EQ(w.run(9, Workers::making("x")).status, 7);  // within 20 s
  EXPECT_EQ(w.runs(), 1U);
  // A purge lets it be tried again at once.
  const auto purged = run_command(
      {.args = {tanggul_binary(), "purge", "--admin", w.shield().admin_url(), "once:k"}});
  EXPECT_EQ(purged.status, 0) << purged.err;
  EXPECT_EQ(w.run(9, Workers::making("x")).status, 0);
}

TEST(Once, AStatusThatMeansSomethingHereIsToldAsOne) {
  for (const char* status : {"2", "75"}) {
    Workers w;
    EXPECT_EQ(w.run(0, std::string("exit ") + status).status, 1);
    EXPECT_EQ(w.run(1, "exit 0").status, 1);
  }
}

TEST(Once, ACommandThatMakesNoFileHasFailed) {
  Workers w;
  const auto result = w.run(0, "true");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("there is no file"), std::string::npos) << result.err;
  EXPECT_EQ(w.run(1, Workers::making("x")).status, 1);
}

TEST(Once, ACommandThatCannotBeRunHasFailedAsInAShell) {
  Workers w;
  ProcessSpec spec = w.spec(0, "");
  spec.args.erase(spec.args.end() - 3, spec.args.end());
  spec.args.push_back("no-such-program-anywhere");
  const auto result = run_command(spec);
  EXPECT_EQ(result.status, 127);
  EXPECT_NE(result.err.find("no-such-program-anywhere"), std::string::npos) << result.err;
}

TEST(Once, WhenTheWaitIsOverItIsStillBeingBuilt) {
  Workers w;
  const auto builder = w.start(0, kHeld + "printf x > \"$TANGGUL_ONCE_OUTPUT\"");
  ASSERT_TRUE(w.await_runs(1));
  const auto result = w.run(1, Workers::making("y"), {"--wait", "300ms"});
  EXPECT_EQ(result.status, 75);
  EXPECT_NE(result.err.find("still being built by"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(w.output(1)));
  w.open_gate();
  EXPECT_EQ(builder->wait(30s), 0);
}

TEST(Once, AnInterruptedBuilderLetsAnotherGoOnAtOnce) {
  for (const int number : {SIGTERM, SIGINT}) {
    Workers w("lease: 1h\norigins: {}\n");
    const auto builder = w.start(0, "echo run >> \"$RUNS\"; exec sleep 1000");
    ASSERT_TRUE(w.await_runs(1));
    const auto next = w.start(1, Workers::making("second"));
    ASSERT_TRUE(next->wait_for_output("is being built by", 30s));
    builder->signal(number);
    EXPECT_EQ(builder->wait(30s), 128 + number);
    EXPECT_EQ(next->wait(30s), 0) << next->err();  // long before the lease is over
    EXPECT_EQ(read_file(w.output(1)), "second");
  }
}

TEST(Once, AWaiterThatIsInterruptedLeaves) {
  Workers w;
  const auto builder = w.start(0, kHeld + "printf x > \"$TANGGUL_ONCE_OUTPUT\"");
  ASSERT_TRUE(w.await_runs(1));
  const auto waiter = w.start(1, Workers::making("y"));
  ASSERT_TRUE(waiter->wait_for_output("is being built by", 30s));
  waiter->signal(SIGTERM);
  EXPECT_EQ(waiter->wait(30s), 128 + SIGTERM);
  w.open_gate();
  EXPECT_EQ(builder->wait(30s), 0);
  EXPECT_EQ(w.runs(), 1U);
}

TEST(Once, ADamagedUploadIsRefusedAndAnOldOneToo) {
  Workers w("lease: 1s\norigins: {}\n");
  const std::string slow = w.claim();
  ASSERT_EQ(member(slow, "state"), "build");
  EXPECT_EQ(send_request(w.shield().port(), put(slow, "wrong", "right")).status, 422);
  const std::string next = w.claim("k", 30s);
  ASSERT_EQ(member(next, "state"), "build");
  EXPECT_EQ(send_request(w.shield().port(), put(slow, "old", "old")).status, 409);
  EXPECT_EQ(w.shield().metric("tanggul_lease_lost_total"), 1);
  EXPECT_EQ(w.shield().get("/.tanggul/once/k").status, 404);
  EXPECT_EQ(send_request(w.shield().port(), put(next, "right", "right")).status, 200);
  EXPECT_EQ(w.shield().get("/.tanggul/once/k").body, "right");
  EXPECT_EQ(w.shield().metric("tanggul_uncaught_total"), 0);
}

TEST(Once, WhoHasLostTheLeaseTakesTheOthersFile) {
  Workers w("lease: 1s\norigins: {}\n");
  const auto paused = w.start(0, kHeld + "printf mine > \"$TANGGUL_ONCE_OUTPUT\"");
  ASSERT_TRUE(w.await_runs(1));
  ASSERT_TRUE(paused->freeze());  // a machine that stands still for longer than its lease
  EXPECT_EQ(w.run(1, "printf theirs > \"$TANGGUL_ONCE_OUTPUT\"").status, 0);
  w.open_gate();
  paused->signal(SIGCONT);
  EXPECT_EQ(paused->wait(30s), 0) << paused->err();
  EXPECT_EQ(read_file(w.output(0)), "theirs");
}

TEST(Once, AFileOutlivesTheShield) {
  Workers w;
  ASSERT_EQ(w.run(0, Workers::making("small")).status, 0);
  const std::string large =
      "echo run >> \"$RUNS\"; head -c 3000000 /dev/urandom > "
      "\"$TANGGUL_ONCE_OUTPUT\"";
  ASSERT_EQ(w.run(1, large, {"--key", "large"}).status, 2);  // named twice
  ProcessSpec spec = w.spec(1, large);
  spec.args[5] = "large";
  ASSERT_EQ(run_command(spec).status, 0);
  EXPECT_EQ(w.shield().stop(), 0);
  w.shield().start();
  EXPECT_EQ(w.run(2, Workers::making("other")).status, 0);
  EXPECT_EQ(read_file(w.output(2)), "small");
  ProcessSpec again = w.spec(3, "false");
  again.args[5] = "large";
  EXPECT_EQ(run_command(again).status, 0);
  EXPECT_EQ(read_file(w.output(3)), read_file(w.output(1)));
  EXPECT_EQ(w.runs(), 2U);
}

TEST(Once, ABuildOutlivesARestartOfTheShield) {
  Workers w;
  const auto builder = w.start(0, kHeld + "printf x > \"$TANGGUL_ONCE_OUTPUT\"");
  ASSERT_TRUE(w.await_runs(1));
  w.shield().kill9();
  w.shield().start();
  w.open_gate();
  EXPECT_EQ(builder->wait(60s), 0) << builder->err();
  EXPECT_EQ(w.runs(), 1U);  // not built again: nobody else had it
  EXPECT_EQ(w.shield().get("/.tanggul/once/k").body, "x");
}

TEST(Once, WithoutAShieldTheCommandIsRunAnyway) {
  Workers w;
  w.shield().stop();
  const auto alone = w.run(0, Workers::making("x"));
  EXPECT_EQ(alone.status, 0);
  EXPECT_NE(alone.err.find("building for this machine alone"), std::string::npos) << alone.err;
  EXPECT_EQ(read_file(w.output(0)), "x");
  EXPECT_EQ(w.run(1, "exit 7").status, 7);
  const auto required = w.run(2, Workers::making("x"), {"--require"});
  EXPECT_EQ(required.status, 1);
  EXPECT_FALSE(fs::exists(w.output(2)));
  EXPECT_EQ(w.runs(), 1U);
}

TEST(Once, WhoIsNotOfThisMachineNeedsTheToken) {
  const TempDir dir;
  TanggulProcess shield("once_token_env: BUILDERS\norigins: {}\n",
                        {.env = {{"BUILDERS", "s3cret"}}});
  const auto once = [&](std::map<std::string, std::string> env, std::vector<std::string> more) {
    ProcessSpec spec;
    // Leads here by a name that is not of this machine alone.
    spec.args = {
        tanggul_binary(), "once", "--via",    "http://0.0.0.0:" + std::to_string(shield.port()),
        "--key",          "k",    "--output", dir.file("out")};
    spec.args.insert(spec.args.end(), more.begin(), more.end());
    spec.args.insert(spec.args.end(), {"--", "sh", "-c", "printf x > \"$TANGGUL_ONCE_OUTPUT\""});
    spec.env = std::move(env);
    return run_command(std::move(spec));
  };
  const auto refused = once({}, {});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("it answers 403"), std::string::npos) << refused.err;
  EXPECT_EQ(once({{"TANGGUL_ONCE_TOKEN", "other"}}, {}).status, 2);
  EXPECT_EQ(once({{"TANGGUL_ONCE_TOKEN", "s3cret"}}, {}).status, 0);
  EXPECT_EQ(once({{"MINE", "s3cret"}}, {"--token-env", "MINE"}).status, 0);
  EXPECT_EQ(shield.process().err().find("s3cret"), std::string::npos);
}

TEST(Once, BadUsageIsTold) {
  Workers w;
  const auto with = [&](std::size_t at, const std::string& value) {
    ProcessSpec spec = w.spec(0, Workers::making("x"));
    spec.args[at] = value;
    return run_command(spec);
  };
  EXPECT_EQ(with(3, "ftp://x").status, 2);
  EXPECT_EQ(with(5, "a\nb").status, 2);
  EXPECT_EQ(with(5, std::string(1025, 'k')).status, 2);
  EXPECT_EQ(with(5, "\xff\xfe").status, 2);
  EXPECT_NE(w.claim("%ff%fe").find("once-key"), std::string::npos);
  EXPECT_EQ(with(7, "/no/such/directory/x").status, 2);
  EXPECT_EQ(with(7, "/tmp").status, 2);
  EXPECT_EQ(w.run(0, "true", {"--wait", "soon"}).status, 2);
  EXPECT_EQ(run_command({.args = {tanggul_binary(), "once", "--key", "k"}}).status, 2);
  EXPECT_EQ(w.runs(), 0U);
}

TEST(Once, ALargeFileGoesThroughInBoundedMemory) {
  Workers w("cache: { memory: 16MiB }\norigins: {}\n");
  const std::uint64_t before = w.shield().process().peak_rss();
  const auto built = w.run(0, "head -c 52428800 /dev/urandom > \"$TANGGUL_ONCE_OUTPUT\"");
  ASSERT_EQ(built.status, 0) << built.err;
  ASSERT_EQ(w.run(1, "false").status, 0);
  EXPECT_EQ(fs::file_size(w.output(1)), 52428800U);
  EXPECT_EQ(Digest::of(DigestKind::sha256, read_file(w.output(1))),
            Digest::of(DigestKind::sha256, read_file(w.output(0))));
  EXPECT_LT(w.shield().process().peak_rss() - before, 24'000'000U);
  EXPECT_EQ(w.shield().metric("tanggul_uncaught_total"), 0);
}

TEST(Once, AFileOverTheBoundIsBuiltButNotShared) {
  Workers w("defaults: { max_object: 1MiB }\norigins: {}\n");
  const std::string large =
      "echo run >> \"$RUNS\"; head -c 1048577 /dev/zero > "
      "\"$TANGGUL_ONCE_OUTPUT\"";
  const auto built = w.run(0, large);
  EXPECT_EQ(built.status, 0);
  EXPECT_NE(built.err.find("could not be shared: 413"), std::string::npos) << built.err;
  EXPECT_EQ(w.run(1, large, {"--require"}).status, 1);
  EXPECT_EQ(w.runs(), 2U);
}

}  // namespace
}  // namespace tanggul::test
