// What a service manager is told, by the whole program.
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

constexpr Duration kPatience = 300ms;  // of the watchdog: a ping each 100 ms

// The manager's end of the protocol.
class Manager {
 public:
  Manager() {
    fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, path().c_str(), sizeof at.sun_path - 1);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  }
  ~Manager() { ::close(fd_); }

  std::string path() const { return dir_.file("notify"); }

  // The next message; empty when none has come by then.
  std::string next(Duration at_most) const {
    pollfd readable{fd_, POLLIN, 0};
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count();
    if (::poll(&readable, 1, static_cast<int>(ms)) != 1) return "";
    char buffer[4096];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
    return n > 0 ? std::string(buffer, static_cast<std::size_t>(n)) : "";
  }

  // The next that starts so; pings on the way are passed over.
  std::string await(std::string_view start, Duration at_most = 30s) const {
    const MonoTime end = MonoClock::now() + at_most;
    while (MonoClock::now() < end)
      if (std::string m = next(end - MonoClock::now()); m.starts_with(start)) return m;
    return "";
  }

  // Whether a time of six pings passes without one, after those that were on their way.
  bool falls_silent() const {
    for (int more = 0; more < 3; ++more)
      if (next(2 * kPatience).empty()) return true;
    return false;
  }

 private:
  TempDir dir_;
  int fd_ = -1;
};

// Stops single threads of a child, as a bug in them would, while the others go on.
class StoppedThreads {
 public:
  template <class Chosen>
  StoppedThreads(pid_t pid, Chosen chosen) {
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
      const auto tid = static_cast<pid_t>(std::stol(task.path().filename()));
      if (!chosen(tid)) continue;
      if (::ptrace(PTRACE_SEIZE, tid, 0, 0) != 0) {
        failure_ = std::strerror(errno);
        return;
      }
      ::ptrace(PTRACE_INTERRUPT, tid, 0, 0);
      ::waitpid(tid, nullptr, __WALL);
      stopped_.push_back(tid);
    }
  }
  ~StoppedThreads() { let_go(); }

  void let_go() {
    for (const pid_t tid : stopped_) ::ptrace(PTRACE_DETACH, tid, 0, 0);
    stopped_.clear();
  }
  std::size_t count() const { return stopped_.size(); }
  const std::string& failure() const { return failure_; }

 private:
  std::vector<pid_t> stopped_;
  std::string failure_;
};

class ServiceManager : public testing::Test {
 protected:
  ProcessSpec environment(std::map<std::string, std::string> more = {}) const {
    more["NOTIFY_SOCKET"] = manager_.path();
    return {.args = {}, .env = std::move(more), .unset = {}, .cwd = {}};
  }
  ProcessSpec watched() const {
    return environment({{"WATCHDOG_USEC", std::to_string(kPatience / 1us)}});
  }

  Manager manager_;
  ScriptedOrigin origin_{body_of(100)};
  const std::string yaml_ = generic_yaml(origin_, "", "threads: 2\n");
};

TEST_F(ServiceManager, HearsOfTheStartWhenThePortAnswersAndOfTheStop) {
  const std::uint16_t port = free_port(), admin = free_port();
  TempDir dir;
  ProcessSpec spec = environment();
  spec.args = {tanggul_binary(), "serve",
               "--config",       dir.write("c.yaml", yaml_),
               "--listen",       "127.0.0.1:" + std::to_string(port),
               "--admin",        "127.0.0.1:" + std::to_string(admin),
               "--data",         dir.file("data")};
  Process shield(spec);
  const std::string first = manager_.next(30s);
  EXPECT_TRUE(first.starts_with("READY=1\nSTATUS=")) << first << shield.err();
  EXPECT_EQ(get(port, "/o/a").status, 200);
  EXPECT_EQ(get(admin, "/readyz").status, 200);
  shield.signal(SIGTERM);
  const std::string last = manager_.next(30s);
  EXPECT_TRUE(last.starts_with("STOPPING=1\n")) << last;
  EXPECT_NE(last.find("\nEXTEND_TIMEOUT_USEC=45000000"), std::string::npos) << last;
  EXPECT_EQ(shield.wait(20s), 0);
  EXPECT_EQ(manager_.next(0s), "");
}

TEST_F(ServiceManager, HearsOfNoStartThatFailed) {
  TanggulProcess shield(yaml_);
  ProcessSpec spec = environment();
  spec.args = {tanggul_binary(), "serve",
               "--config",       shield.dir().file("tanggul.yaml"),
               "--listen",       "127.0.0.1:" + std::to_string(shield.port()),
               "--admin",        "127.0.0.1:0",
               "--data",         shield.dir().file("second")};
  EXPECT_EQ(run_command(spec, 20s).status, 1);
  EXPECT_EQ(manager_.next(0s), "");
}

TEST_F(ServiceManager, IsPingedUntilOneOfTheLoopsIsStuck) {
  TanggulProcess shield(yaml_, watched());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(manager_.await("WATCHDOG=1"), "WATCHDOG=1");
  const pid_t main = shield.process().pid();
  StoppedThreads others(main, [&](pid_t tid) { return tid != main; });
  if (!others.failure().empty()) GTEST_SKIP() << "threads cannot be stopped: " << others.failure();
  ASSERT_GT(others.count(), 0U);
  EXPECT_TRUE(manager_.falls_silent());
  // The loop that pings was well all the time.
  EXPECT_EQ(get(shield.admin_port(), "/healthz").status, 200);
  others.let_go();
  EXPECT_EQ(manager_.await("WATCHDOG=1"), "WATCHDOG=1");
  EXPECT_EQ(shield.stop(20s), 0);
}

TEST_F(ServiceManager, IsNotPingedWhileTheFirstLoopIsStuckEither) {
  TanggulProcess shield(yaml_, watched());
  ASSERT_EQ(manager_.await("WATCHDOG=1"), "WATCHDOG=1");
  {
    const pid_t main = shield.process().pid();
    StoppedThreads first(main, [&](pid_t tid) { return tid == main; });
    if (!first.failure().empty()) GTEST_SKIP() << "threads cannot be stopped: " << first.failure();
    EXPECT_TRUE(manager_.falls_silent());
  }
  EXPECT_EQ(manager_.await("WATCHDOG=1"), "WATCHDOG=1");
}

TEST_F(ServiceManager, IsPingedDuringALongDrainToo) {
  Script slow = body_of(1000);
  slow.delay_head = 2s;
  origin_.set("/slow", slow);
  TanggulProcess shield(yaml_, watched());
  RequestSpec spec;
  spec.target = "/o/slow";
  std::vector<ClientResult> results;
  std::thread client([&] { results = burst(shield.port(), 1, spec); });
  while (origin_.requests() == 0) {
  }
  shield.process().signal(SIGTERM);
  EXPECT_NE(manager_.await("STOPPING=1"), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(manager_.await("WATCHDOG=1"), "WATCHDOG=1");
  EXPECT_EQ(shield.process().wait(20s), 0);
  client.join();
  EXPECT_EQ(with_status(results, 200), 1U);
}

// What the program starts of its own (npm, to ask for its registry) must not speak in its name.
TEST_F(ServiceManager, TheVariablesEndWithThisProcess) {
  TempDir dir;
  const std::string npm = dir.write(
      "bin/npm", "#!/bin/sh\nenv > " + dir.file("env") + "\necho " + origin_.url() + "/\n");
  std::filesystem::permissions(npm, std::filesystem::perms::owner_all);
  ProcessSpec spec = watched();
  spec.env["PATH"] = dir.file("bin") + ":/usr/bin:/bin";
  spec.env["HOME"] = dir.path();
  spec.unset = {"npm_config_registry", "NPM_CONFIG_REGISTRY"};
  spec.args = {tanggul_binary(), "serve",       "--listen", "127.0.0.1:0",
               "--admin",        "127.0.0.1:0", "--data",   dir.file("data")};
  Process shield(spec);
  ASSERT_NE(manager_.await("READY=1"), "") << shield.err();
  const std::string environment = read_file(dir.file("env"));
  EXPECT_NE(environment.find("PATH="), std::string::npos);
  EXPECT_EQ(environment.find("NOTIFY_SOCKET"), std::string::npos) << environment;
  EXPECT_EQ(environment.find("WATCHDOG_"), std::string::npos) << environment;
}

}  // namespace
}  // namespace tanggul::test
