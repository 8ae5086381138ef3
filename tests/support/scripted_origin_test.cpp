#include "support/scripted_origin.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/bytes.h"
#include "base/digest.h"
#include "support/http_client.h"
#include "support/raw_exchange.h"

namespace tanggul::test {
namespace {

using namespace std::chrono_literals;

TEST(ScriptedOrigin, CountsAHerdExactly) {
  ScriptedOrigin origin({.delay_head = 100ms, .body = "hello"});
  const auto results = burst(origin.port(), 1000, {.target = "/a?x=1"});
  EXPECT_EQ(count_if(results, [](auto& r) { return r.complete && r.body == "hello"; }), 1000u);
  EXPECT_EQ(origin.requests(), 1000u);
  EXPECT_EQ(origin.requests("/a"), 1000u);
  EXPECT_EQ(origin.connections(), 1000u);
  EXPECT_GT(origin.max_concurrent(), 1u);
  EXPECT_EQ(origin.in_progress(), 0u);
}

TEST(ScriptedOrigin, ServesTheMostExactScript) {
  ScriptedOrigin origin({.body = "default"});
  origin.set_prefix("/p", {.body = "prefix"});
  origin.set_prefix("/p/long", {.body = "longer"});
  origin.set("/p/long/x", {.body = "exact"});
  origin.set("/p/long/x?q", {.body = "query"});
  EXPECT_EQ(get(origin.port(), "/").body, "default");
  EXPECT_EQ(get(origin.port(), "/p/z").body, "prefix");
  EXPECT_EQ(get(origin.port(), "/p/long/y").body, "longer");
  EXPECT_EQ(get(origin.port(), "/p/long/x?other").body, "exact");
  EXPECT_EQ(get(origin.port(), "/p/long/x?q").body, "query");
  origin.set("/p/long/x", {.status = 503});
  EXPECT_EQ(get(origin.port(), "/p/long/x").status, 503);
}

TEST(ScriptedOrigin, GeneratesTheSameBytesInEveryFraming) {
  const std::string expected = to_hex(Digest::of(DigestKind::sha256, generated_bytes(0, 300'001)));
  for (const Framing framing : {Framing::length, Framing::chunked, Framing::until_close}) {
    ScriptedOrigin origin({.generated_size = 300'001, .framing = framing});
    const ClientResult r = send_request(origin.port(), {.keep_body = false});
    EXPECT_TRUE(r.complete) << r.error;
    EXPECT_EQ(r.body_size, 300'001u);
    EXPECT_EQ(r.body_sha256, expected);
    EXPECT_TRUE(r.body.empty());
  }
}

TEST(ScriptedOrigin, KeepsConnectionsAndClosesThemAsTold) {
  ScriptedOrigin origin({.body = "x"});
  const std::string two = "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\n";
  const std::string answer = raw_exchange(origin.port(), two, 10s);
  EXPECT_EQ(origin.connections(), 1u);
  EXPECT_EQ(origin.requests(), 2u);
  EXPECT_NE(answer.find("200", answer.find("\r\n\r\n")), std::string::npos);
  origin.set_default({.body = "x", .fault = Fault::close_idle_connection});
  const auto closed = raw_exchange(origin.port(), {"GET / HTTP/1.1\r\n\r\n"}, 0ms, 10s);
  EXPECT_TRUE(closed.closed);
  EXPECT_EQ(closed.bytes.find("Connection: close"), std::string::npos);
}

TEST(ScriptedOrigin, AnswersTheEtagItGaveWith304) {
  ScriptedOrigin origin({.body = "x", .etag = "\"v1\""});
  EXPECT_EQ(get(origin.port(), "/").headers.find("etag"), "\"v1\"");
  EXPECT_EQ(get(origin.port(), "/", {{"If-None-Match", "\"v0\", \"v1\""}}).status, 304);
  EXPECT_EQ(get(origin.port(), "/", {{"If-None-Match", "\"v2\""}}).status, 200);
}

TEST(ScriptedOrigin, PlaysItsFaults) {
  ScriptedOrigin origin;
  const auto play = [&](Script script) {
    origin.set_default(std::move(script));
    return send_request(origin.port(), {.deadline = 20s});
  };
  const ClientResult reset = play({.fault = Fault::reset_before_head});
  EXPECT_TRUE(reset.connection_cut && reset.status == 0) << reset.error;
  const ClientResult late = play({.fault = Fault::reset_after_request});
  EXPECT_TRUE(late.connection_cut && late.status == 0) << late.error;
  for (const Framing framing : {Framing::length, Framing::chunked}) {
    for (const Fault fault : {Fault::cut_body_at, Fault::reset_body_at, Fault::bad_chunk}) {
      if (fault == Fault::bad_chunk && framing == Framing::length) continue;
      const ClientResult cut =
          play({.generated_size = 1000, .framing = framing, .fault = fault, .cut_at = 10});
      EXPECT_EQ(cut.status, 200);
      EXPECT_FALSE(cut.complete);
      if (fault != Fault::reset_body_at) EXPECT_EQ(cut.body_size, 10u);
    }
  }
  const ClientResult head = play({.fault = Fault::cut_head_at, .cut_at = 20});
  EXPECT_TRUE(head.connection_cut && head.status == 0) << head.error;
  EXPECT_FALSE(play({.fault = Fault::garbage}).complete);
  EXPECT_FALSE(play({.fault = Fault::endless_headers}).complete);
  const ClientResult dripped = play({.body = "drip", .fault = Fault::drip, .drip_interval = 5ms});
  EXPECT_EQ(dripped.body, "drip");
  EXPECT_GE(dripped.total, 15ms);
}

TEST(ScriptedOrigin, RecordsWhatItWasSent) {
  ScriptedOrigin origin;
  const std::string body(100'000, 'b');
  send_request(origin.port(),
               {.method = "PUT", .target = "/a%2fb/../c", .headers = {{"X-A", "1"}}, .body = body});
  ASSERT_EQ(origin.seen().size(), 1u);
  const SeenRequest seen = origin.seen().front();
  EXPECT_EQ(seen.method, "PUT");
  EXPECT_EQ(seen.target, "/a%2fb/../c");
  EXPECT_EQ(seen.headers.find("x-a"), "1");
  EXPECT_EQ(seen.body_size, body.size());
  EXPECT_EQ(seen.body_sha256, to_hex(Digest::of(DigestKind::sha256, body)));
  EXPECT_TRUE(seen.body_complete);
}

TEST(ScriptedOrigin, AnswersByFunction) {
  ScriptedOrigin origin({.dynamic = [](const SeenRequest& r) { return Script{.body = r.target}; }});
  EXPECT_EQ(get(origin.port(), "/echo").body, "/echo");
}

TEST(ScriptedOrigin, RefusesWhileItDoesNotListen) {
  ScriptedOrigin origin;
  origin.stop_listening();
  EXPECT_EQ(get(origin.port(), "/").status, 0);
  EXPECT_FALSE(connectable(origin.port()));
  origin.listen_again();
  EXPECT_EQ(get(origin.port(), "/").status, 200);
}

TEST(ScriptedOrigin, NoticesAClientThatLeavesWhileItWaits) {
  ScriptedOrigin origin({.fault = Fault::never_answer});
  const ClientResult r = send_request(origin.port(), {.leave_after = 20ms});
  EXPECT_TRUE(r.left);
  while (origin.open_connections() > 0) std::this_thread::yield();
  EXPECT_EQ(origin.in_progress(), 0u);
}

}  // namespace
}  // namespace tanggul::test
