#include "support/http_client.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include <atomic>

#include "support/raw_exchange.h"
#include "support/scripted_origin.h"

namespace tanggul::test {
namespace {

using namespace std::chrono_literals;

// Connections to this port that the kernel has completed, accepted or not (/proc/net/tcp). By their
// other ends: the table is read in pieces, and while others come and go a line may come twice.
std::size_t established(std::uint16_t port) {
  std::ifstream table("/proc/net/tcp");
  char wanted[8];
  std::snprintf(wanted, sizeof wanted, ":%04X", port);
  std::set<std::string> ends;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string slot, local, remote, state;
    fields >> slot >> local >> remote >> state;
    if (local.ends_with(wanted) && state == "01") ends.insert(remote);
  }
  return ends.size();
}

TEST(Burst, SendsOnlyWhenAllHaveConnected) {
  std::atomic<std::size_t> at_first_request = 0;
  std::atomic<std::uint16_t> port = 0;
  ScriptedOrigin origin({.dynamic = [&](const SeenRequest&) {
    if (at_first_request == 0) at_first_request = established(port);
    return Script{};
  }});
  port = origin.port();
  burst(origin.port(), 200, RequestSpec{});
  EXPECT_EQ(at_first_request, 200U);
}

TEST(Burst, GivesEachItsOwnRequest) {
  ScriptedOrigin origin({.dynamic = [](const SeenRequest& r) { return Script{.body = r.target}; }});
  const auto results = burst(origin.port(), 50, [](std::size_t i) {
    return RequestSpec{.target = "/" + std::to_string(i)};
  });
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(results[i].body, "/" + std::to_string(i));
}

TEST(Client, ReadsSlowlyAndLeavesEarly) {
  ScriptedOrigin origin({.generated_size = 40'000});
  const ClientResult slow = send_request(origin.port(), {.read_bytes_per_second = 200'000});
  EXPECT_TRUE(slow.complete);
  EXPECT_GE(slow.total, 100ms);
  origin.set_default({.fault = Fault::endless_body});
  const ClientResult left = send_request(origin.port(), {.leave_after = 30ms, .keep_body = false});
  EXPECT_TRUE(left.left);
  EXPECT_FALSE(left.complete || left.connection_cut);
}

TEST(Client, EndsAtItsDeadline) {
  ScriptedOrigin origin({.fault = Fault::never_answer});
  const ClientResult r = send_request(origin.port(), {.deadline = 30ms});
  EXPECT_EQ(r.error, "deadline");
  EXPECT_FALSE(r.complete);
}

TEST(RawExchange, SendsPieceByPiece) {
  ScriptedOrigin origin({.body = "x"});
  const RawAnswer answer = raw_exchange(
      origin.port(), {"GET / HT", "TP/1.1\r\nConnection: close\r\n", "\r\n"}, 5ms, 10s);
  EXPECT_TRUE(answer.closed);
  EXPECT_TRUE(answer.bytes.starts_with("HTTP/1.1 200 OK\r\n"));
}

}  // namespace
}  // namespace tanggul::test
