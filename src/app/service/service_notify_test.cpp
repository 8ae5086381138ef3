#include "app/service/service_notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "app/config/config_for_test.h"
#include "app/config/directory_for_test.h"
#include "app/service/watchdog.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;

// The service manager's end.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& name) {
    fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, name.data(), name.size());
    if (name[0] == '@') at.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&at), length), 0) << std::strerror(errno);
  }
  ~NotifySocket() { ::close(fd_); }

  std::string next() const {  // empty: nothing has come
    char buffer[4096];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
    return n > 0 ? std::string(buffer, static_cast<std::size_t>(n)) : "";
  }

 private:
  int fd_;
};

class ServiceNotifyTest : public testing::Test {
 protected:
  ServiceNotify notify(std::map<std::string, std::string> more = {}, pid_t self = 7) {
    more.emplace("NOTIFY_SOCKET", path_);
    return ServiceNotify(environment_of(more), self);
  }

  TemporaryDirectory temporary_;
  const std::string path_ = temporary_.path() + "/notify";
  NotifySocket manager_{path_};
};

TEST_F(ServiceNotifyTest, SpeaksTheProtocolOneDatagramAMessage) {
  const VirtualClock clock(MonoTime(5s));
  const ServiceNotify n = notify();
  n.ready("serving\nX=1");
  EXPECT_EQ(manager_.next(), "READY=1\nSTATUS=serving X=1");
  n.status("busy");
  EXPECT_EQ(manager_.next(), "STATUS=busy");
  n.reloading();
  EXPECT_TRUE(manager_.next().starts_with("RELOADING=1\nMONOTONIC_USEC=5000000\n"));
  n.stopping("draining", 40s);
  EXPECT_EQ(manager_.next(), "STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=40000000");
  n.extend(3ms);
  EXPECT_EQ(manager_.next(), "EXTEND_TIMEOUT_USEC=3000");
  n.ping();
  EXPECT_EQ(manager_.next(), "WATCHDOG=1");
  EXPECT_EQ(manager_.next(), "");
}

TEST_F(ServiceNotifyTest, AnAtSignStandsForAnAbstractName) {
  const std::string name = "@tanggul-test-" + std::to_string(::getpid());
  const NotifySocket manager(name);
  ServiceNotify(environment_of({{"NOTIFY_SOCKET", name}}), 7).ready("");
  EXPECT_EQ(manager.next(), "READY=1\nSTATUS=");
}

TEST_F(ServiceNotifyTest, WithoutASocketNothingHappens) {
  for (const std::string& name : {std::string(), std::string("relative"), std::string("vsock:2:1"),
                                  "/" + std::string(107, 'x')}) {
    const ServiceNotify n = notify({{"NOTIFY_SOCKET", name}, {"WATCHDOG_USEC", "1"}});
    EXPECT_FALSE(n.connected()) << name;
    EXPECT_EQ(n.watchdog(), Duration{});
    n.ready("");
    n.stopping("", 1s);
    n.ping();
  }
  ServiceNotify(environment_of({}), 7).ready("");
}

TEST_F(ServiceNotifyTest, AManagerThatHasGoneEndsNothing) {
  const ServiceNotify n = notify({{"NOTIFY_SOCKET", path_ + "-gone"}});
  n.ready("");
  n.ping();
}

TEST_F(ServiceNotifyTest, APingNeverWaitsForAManagerThatDoesNotRead) {
  const ServiceNotify n = notify();
  for (int i = 0; i < 10'000; ++i) n.ping();
  EXPECT_EQ(manager_.next(), "WATCHDOG=1");
}

TEST_F(ServiceNotifyTest, TheWatchdogIsForTheProcessThatItNames) {
  EXPECT_EQ(notify().watchdog(), Duration{});
  EXPECT_EQ(notify({{"WATCHDOG_USEC", "30000000"}}).watchdog(), 30s);
  EXPECT_EQ(notify({{"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", "7"}}).watchdog(), 30s);
  EXPECT_EQ(notify({{"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", "8"}}).watchdog(), Duration{});
  EXPECT_EQ(notify({{"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", ""}}).watchdog(), Duration{});
  EXPECT_EQ(notify({{"WATCHDOG_USEC", "0"}}).watchdog(), Duration{});
  EXPECT_EQ(notify({{"WATCHDOG_USEC", "-1"}}).watchdog(), Duration{});
  EXPECT_EQ(notify({{"WATCHDOG_USEC", "18446744073709551615"}}).watchdog(), 24h);
}

TEST_F(ServiceNotifyTest, TakesTheVariablesOutOfTheEnvironment) {
  ::setenv("NOTIFY_SOCKET", path_.c_str(), 1);
  ::setenv("WATCHDOG_USEC", "2000000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  const ServiceNotify n = ServiceNotify::take();
  EXPECT_EQ(n.watchdog(), 2s);
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  n.ready("");
  EXPECT_NE(manager_.next(), "");
}

class WatchdogTest : public ServiceNotifyTest {
 protected:
  WatchdogTest() { watch_loops(notify_, {first_.get_executor(), second_.get_executor()}); }

  int pings() const {
    int n = 0;
    while (manager_.next() == "WATCHDOG=1") ++n;
    return n;
  }
  void turn(bool second_runs) {
    clock_.advance(10s);
    first_.poll();
    if (second_runs) second_.poll();
    first_.poll();
  }

  VirtualClock clock_;
  const ServiceNotify notify_ = notify({{"WATCHDOG_USEC", "30000000"}});
  asio::io_context second_{1}, first_{1};
  asio::executor_work_guard<async::Executor> work_{second_.get_executor()};
};

TEST_F(WatchdogTest, PingsEachThirdOfTheManagersPatienceWhileAllLoopsAnswer) {
  first_.poll();
  second_.poll();
  EXPECT_EQ(pings(), 0);  // nobody has shown anything yet
  for (int i = 0; i < 5; ++i) {
    turn(true);
    EXPECT_EQ(pings(), 1) << i;
  }
  clock_.advance(9s);
  first_.poll();
  EXPECT_EQ(pings(), 0);
}

TEST_F(WatchdogTest, OneStuckLoopEndsThePingsUntilItRunsAgain) {
  first_.poll();
  second_.poll();
  turn(true);
  EXPECT_EQ(pings(), 1);
  turn(false);
  EXPECT_EQ(pings(), 1);  // it had answered before it got stuck
  for (int i = 0; i < 5; ++i) {
    turn(false);
    EXPECT_EQ(pings(), 0);
  }
  second_.poll();
  turn(true);
  EXPECT_EQ(pings(), 1);
}

}  // namespace
}  // namespace tanggul::app
