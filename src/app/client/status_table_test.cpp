#include "app/client/status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <sstream>

#include "app/client/one_answer_for_test.h"
#include "app/client/status_table.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;

constexpr const char* kStatus = R"({"version": "0.1.0", "uptime_seconds": 8040, "flights": 3,
  "origins": [
  {"name": "files", "mount": "/", "kind": "generic", "breaker": "closed",
   "breaker_since_seconds": 0, "next_probe_seconds": null, "last_error": null,
   "last_error_seconds": null, "running": 0, "limit": 32, "queued": 0, "held": 0,
   "gates_waiting": 0, "paused_seconds": 0, "origin_latency_seconds": 0.2124,
   "last_minute": {"requests": 12345, "origin_requests": 12, "stale": 0, "negative": 0},
   "key_patterns": [
     {"name": "files", "flights_started": 1000, "shared": 0, "distinct_keys": 48210,
      "last_5_minutes": {"flights_started": 48300, "shared": 12},
      "not_coalescing": "48,210 keys in 5 min, they differ in ?ts="},
     {"name": "idle", "flights_started": 7, "shared": 0, "distinct_keys": 0,
      "last_5_minutes": {"flights_started": 0, "shared": 0}, "not_coalescing": null}]},
  {"name": "pypi", "mount": "/pypi/", "kind": "generic", "breaker": "closed",
   "breaker_since_seconds": 7265, "last_error": "429 from the origin", "last_error_seconds": 300,
   "last_error_at": "2025-03-02T03:07:44Z", "running": 0, "limit": 32, "queued": 0, "held": 0,
   "gates_waiting": 0, "paused_seconds": 40, "paused_until": "2025-03-02T03:13:24Z",
   "last_minute": {"requests": 0, "origin_requests": 0, "stale": 0, "negative": 0},
   "key_patterns": []},
  {"name": "npm", "mount": "/npm/", "kind": "npm", "breaker": "open",
   "breaker_since_seconds": 252, "breaker_since": "2025-03-02T03:08:32Z",
   "next_probe_seconds": 11, "last_error": "connect_timeout: late", "last_error_seconds": 3,
   "last_error_at": "2025-03-02T03:12:41Z", "running": 1, "limit": 32, "queued": 2,
   "held": 312, "gates_waiting": 12, "paused_seconds": 0, "origin_latency_seconds": 2.005,
   "last_minute": {"requests": 1000, "origin_requests": 40, "stale": 512, "negative": 20},
   "key_patterns": [{"name": "packument", "flights_started": 9, "shared": 9000,
      "distinct_keys": 7, "last_5_minutes": {"flights_started": 9, "shared": 8000},
      "not_coalescing": null}]}],
  "cache": {"memory_bytes": 2500000, "disk_bytes": 0}})";

struct Shown {
  int status;
  std::string out, err;
};

Shown show(const std::string& url, bool json = false) {
  std::ostringstream out, err;
  const int status = show_status({url, "t0ken"}, json, {out, err});
  return {status, out.str(), err.str()};
}

TEST(StatusTable, NamesTheLatestBuildsAndTheirFailures) {
  const std::string status = R"({"version": "1", "origins": [], "once": [
    {"key": "deps", "by": "ci-7:12", "seconds": 65, "bytes": 2500000, "status": 0},
    {"key": "gen\u001b[31m", "by": "ci-8:13", "seconds": 5, "bytes": 0, "status": 7}]})";
  const std::string table = status_table(status, false);
  EXPECT_NE(table.find("BUILT ONCE  BY"), std::string::npos) << table;
  EXPECT_NE(table.find("2.5 MB"), std::string::npos) << table;
  EXPECT_NE(table.find("failed, 7"), std::string::npos) << table;
  EXPECT_EQ(table.find('\x1b'), std::string::npos) << table;
}

std::vector<std::string> first_lines(const std::string& cluster) {
  std::istringstream table(status_table(
      R"({"version": "1", "origins": [{"name": "o", "breaker": "closed"}], "cluster": )" + cluster +
          "}",
      false));
  std::vector<std::string> lines(3);
  for (std::string& line : lines) std::getline(table, line);
  return lines;
}

TEST(StatusTable, TellsOfTheClusterAndHowManyAreInIt) {
  EXPECT_EQ(first_lines(R"({"node": "a", "reachable": true, "nodes": 3})")[1],
            "cluster: 3 nodes, node a");
  EXPECT_EQ(first_lines(R"({"node": "a", "reachable": true, "nodes": 1})")[1],
            "cluster: 1 node, node a");
  EXPECT_EQ(first_lines("null")[1], "The origin is well.");
}

TEST(StatusTable, TellsOnTopThatTheClusterCannotBeReached) {
  const auto lines = first_lines(
      R"({"node": "a", "reachable": false, "nodes": 1, "trouble": "Connection\u001b refused"})");
  EXPECT_EQ(lines[1],
            "The cluster cannot be reached: Connection? refused; this node goes on by itself.");
  EXPECT_EQ(lines[2], "The origin is well.");
  const auto longest =
      first_lines(R"({"reachable": false, "trouble": ")" + std::string(500, 'x') + "\"}");
  EXPECT_LE(longest[1].size(), 120U);
  EXPECT_TRUE(longest[1].ends_with("...; this node goes on by itself.")) << longest[1];
}

TEST(Status, TellsWhatIsBrokenFirst) {
  EXPECT_EQ(status_table(kStatus, false),
            R"(tanggul 0.1.0, up 2h 14m; cache: 2.5 MB in memory, 0 kB on disk; 3 fetches running
Down: npm. Asked for rest: pypi. 1 of 3 origins is well. Coalescing does not help: files.

ORIGIN  STATE   SINCE   REQ/MIN  ASKED/MIN  SPARED  LATENCY  RUNNING  QUEUED  HELD  GATES  STALE  NEG
npm     DOWN    4m 12s    1,000         40   96.0%   2005ms     1/32       2   312     12    512   20
    down since 2025-03-02T03:08:32Z, next probe in 11s
    last error 3s ago, 2025-03-02T03:12:41Z: connect_timeout: late
pypi    PAUSED  -             0          0       -        -     0/32       0     0      0      0    0
    asked for rest by 429 until 2025-03-02T03:13:24Z, 40s more
    last error 5m 0s ago, 2025-03-02T03:07:44Z: 429 from the origin
files   ok      -        12,345         12   99.9%    212ms     0/32       0     0      0      0    0

KEY PATTERN  ORIGIN  FETCHES/5M  SHARED/5M  KEYS/5M
files        files       48,300         12   48,210
    coalescing does not help: 48,210 keys in 5 min, they differ in ?ts=
packument    npm              9      8,000        7
)");
}

TEST(Status, FitsTwelveOriginsInto120ColumnsALineEach) {
  std::string origins;
  for (int i = 0; i < 12; ++i)
    origins += std::string(i ? "," : "") + R"({"name": ")" + std::string(64, 'n') + R"(",
      "breaker": "closed", "breaker_since_seconds": 8000000, "running": 32, "limit": 32,
      "queued": 1000, "origin_latency_seconds": 9.9, "held": 10000, "gates_waiting": 1000, "last_minute": {"requests": 9999999,
      "origin_requests": 9999999, "stale": 99999, "negative": 99999}})";
  const std::string table = status_table("{\"origins\": [" + origins + "]}", false);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3 + 1 + 12);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
}

TEST(Status, HasColoursOnlyWhereTheyAreWanted) {
  EXPECT_EQ(status_table(kStatus, false).find('\x1b'), std::string::npos);
  EXPECT_NE(status_table(kStatus, true).find("\x1b[31mDOWN"), std::string::npos);
}

TEST(Status, TakesWhatAnOlderShieldTells) {
  const std::string table = status_table(
      R"({"origins": [{"name": "o", "breaker": "closed", "running": 1, "queued": 0}]})", false);
  EXPECT_NE(table.find("The origin is well."), std::string::npos) << table;
  EXPECT_NE(
      table.find("\no       ok     -            -          -       -        -      1/-       0"),
      std::string::npos)
      << table;
}

TEST(Status, LetsNoControlCharacterThroughToTheTerminal) {
  const std::string table =
      status_table(R"({"origins": [{"name": "a\u001b[2Jb\u009b", "breaker": "open",
                     "last_error": "x\ny", "key_patterns": [{"name": "\u001b]0;p",
                     "last_5_minutes": {"flights_started": 1},
                     "not_coalescing": "\u001b[31mkeys"}]}]})",
                   false);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_NE(table.find("a?[2Jb??"), std::string::npos) << table;
  EXPECT_NE(table.find("x?y"), std::string::npos) << table;
  EXPECT_TRUE(std::all_of(table.begin(), table.end(),
                          [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); }));
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
