#include "app/status.h"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <sstream>
#include <thread>

namespace tanggul::app {
namespace {

namespace asio = boost::asio;

constexpr const char* kStatus = R"({"version": "0.1.0", "uptime_seconds": 7300, "origins": [
  {"name": "npm", "mount": "/npm/", "kind": "npm", "breaker": "open", "breaker_since_seconds": 4,
   "next_probe_seconds": 11, "last_error": "connect_timeout", "flights": 3, "queued": 2,
   "running": 32, "requests": {"hit": 70, "miss": 20, "coalesced": 10},
   "origin_requests": {"2xx": 20, "5xx": 1}, "paused_seconds": 0, "shared": 10},
  {"name": "files", "mount": "/", "kind": "generic", "breaker": "closed",
   "breaker_since_seconds": 1, "next_probe_seconds": null, "last_error": null, "requests": {}}],
  "cache": {"memory_bytes": 2500000, "disk_bytes": 0}})";

// Answers one request with `answer` and remembers what was asked.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : answer_(std::move(answer)) {
    thread_ = std::thread([this] {
      boost::system::error_code ec;
      asio::ip::tcp::socket socket = acceptor_.accept(ec);
      if (ec) return;
      asio::read_until(socket, asio::dynamic_buffer(asked_), "\r\n\r\n", ec);
      asio::write(socket, asio::buffer(answer_), ec);
    });
  }
  ~OneAnswer() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  const std::string& asked() {
    join();
    return asked_;
  }

 private:
  std::string answer_, asked_;
  asio::io_context io_;
  asio::ip::tcp::acceptor acceptor_{io_, {asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

std::string ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Shown {
  int status;
  std::string out, err;
};

Shown show(const std::string& url, bool json = false) {
  std::ostringstream out, err;
  const int status = show_status({url, "t0ken"}, json, {out, err, false});
  return {status, out.str(), err.str()};
}

TEST(Status, IsATableOfTheOrigins) {
  const std::string table = status_table(kStatus, false);
  EXPECT_EQ(
      table,
      "tanggul 0.1.0, up 2h; cache: 2.5 MB in memory, 0 kB on disk\n\n"
      "ORIGIN  MOUNT  KIND     BREAKER                REQUESTS  SPARED  SHARED  ASKED  FLIGHTS"
      "  RUN+QUEUE  PAUSED  LAST ERROR\n"
      "npm     /npm/  npm      open 4s, probe in 11s  100       80.0%   10      21     3      "
      "  32+2       -       connect_timeout\n"
      "files   /      generic  closed                 0         -       0       0      0      "
      "  0+0        -       -\n");
}

TEST(Status, HasColoursOnlyWhereTheyAreWanted) {
  EXPECT_EQ(status_table(kStatus, false).find('\x1b'), std::string::npos);
  EXPECT_NE(status_table(kStatus, true).find("\x1b[31mopen"), std::string::npos);
}

TEST(Status, LetsNoControlCharacterThroughToTheTerminal) {
  const std::string table =
      status_table(R"({"origins": [{"name": "a\u001b[2Jb", "last_error": "x\ny"}]})", false);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_NE(table.find("a?[2Jb"), std::string::npos);
}

TEST(Status, IsAskedOfTheAdminPort) {
  OneAnswer admin(ok(kStatus));
  const Shown shown = show(admin.url() + "/");
  EXPECT_EQ(shown.status, kDone) << shown.err;
  EXPECT_EQ(shown.out, status_table(kStatus, false));
  EXPECT_TRUE(admin.asked().starts_with("GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_NE(admin.asked().find("Authorization: Bearer t0ken\r\n"), std::string::npos);
}

TEST(Status, PrintsTheAnswerItselfAsJson) {
  OneAnswer admin(ok(kStatus));
  EXPECT_EQ(show(admin.url(), true).out, std::string(kStatus) + "\n");
}

TEST(Status, SaysInOneSentenceThatNobodyAnswers) {
  asio::io_context io;
  asio::ip::tcp::socket unheard(io);  // holds the port, but does not listen
  unheard.open(asio::ip::tcp::v4());
  unheard.bind({asio::ip::address_v4::loopback(), 0});
  const std::string url = "http://127.0.0.1:" + std::to_string(unheard.local_endpoint().port());
  const Shown shown = show(url);
  EXPECT_EQ(shown.status, kFailed);
  EXPECT_EQ(shown.err, "No shield answers at " + url + ": Connection refused.\n");
}

TEST(Status, FailsOnWhatIsNoStatus) {
  const std::string cases[] = {ok("{}"),
                               ok("not json"),
                               "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
                               "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}",
                               "SSH-2.0-x\r\n",
                               ""};
  for (const std::string& answer : cases) {
    OneAnswer admin(answer);
    const Shown shown = show(admin.url());
    EXPECT_EQ(shown.status, kFailed) << answer;
    EXPECT_EQ(shown.out, "");
    EXPECT_EQ(std::count(shown.err.begin(), shown.err.end(), '\n'), 1) << shown.err;
  }
}

TEST(Status, RefusesAnAddressThatIsNone) {
  EXPECT_EQ(show("127.0.0.1:8081").status, kWrongUsage);
  EXPECT_EQ(show("https://127.0.0.1:8081").status, kWrongUsage);
}

}  // namespace
}  // namespace tanggul::app
