#include "support/http_client.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/raw_exchange.h"
#include "support/scripted_origin.h"

namespace tanggul::test {
namespace {

using namespace std::chrono_literals;

TEST(Burst, SendsOnlyWhenAllHaveConnected) {
  std::atomic<std::uint64_t> at_first_request = 0;
  std::atomic<ScriptedOrigin*> self = nullptr;
  ScriptedOrigin origin({.dynamic = [&](const SeenRequest&) {
    if (at_first_request == 0) at_first_request = self.load()->open_connections();
    return Script{};
  }});
  self = &origin;
  burst(origin.port(), 200, RequestSpec{});
  // The kernel completes a connection before the origin accepts it, so only a lower bound holds:
  // without the barrier it would be one or two.
  EXPECT_GT(at_first_request, 50u);
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
