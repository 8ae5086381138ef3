#include "adapters/beast/request_reader.h"

#include <gtest/gtest.h>

namespace tanggul::beast {
namespace {

using State = RequestReader::State;

// Feeds the bytes whole; the status of a refusal, 0 when the head was taken, -1 when more is
// needed.
int head_status(const std::string& bytes) {
  RequestReader reader{RequestLimits()};
  reader.start();
  std::size_t consumed = 0;
  switch (reader.parse_head(bytes, consumed)) {
    case State::done:
      return 0;
    case State::bad:
      return reader.status();
    case State::need_more:
      return -1;
  }
  return -2;
}

std::string get(const std::string& lines) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
}

TEST(RequestReader, TakesAPlainRequestAndKeepsItsTargetRaw) {
  RequestReader reader{RequestLimits()};
  reader.start();
  std::size_t consumed = 0;
  const std::string bytes = "GET /a%2fb/../c//?x=%20 HTTP/1.1\r\nHost: h:1\r\nX-A: 1\r\n\r\nrest";
  ASSERT_EQ(reader.parse_head(bytes, consumed), State::done);
  EXPECT_EQ(consumed, bytes.size() - 4);
  http::RequestHead head;
  reader.fill(head);
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.target, "/a%2fb/../c//?x=%20");
  EXPECT_EQ(head.find("x-a"), "1");
  EXPECT_TRUE(reader.keep_alive());
  EXPECT_FALSE(reader.has_body());
}

TEST(RequestReader, TakesARequestThatComesByteByByte) {
  RequestReader reader{RequestLimits()};
  reader.start();
  const std::string bytes = get("X-Long: value\r\n");
  std::string buffer;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    buffer += bytes[i];
    std::size_t consumed = 0;
    const State state = reader.parse_head(buffer, consumed);
    buffer.erase(0, consumed);
    ASSERT_EQ(state, i + 1 == bytes.size() ? State::done : State::need_more) << i;
  }
}

TEST(RequestReader, RefusesWhatTwoParsersCouldReadDifferently) {
  EXPECT_EQ(head_status(get("Content-Length: 1\r\nContent-Length: 2\r\n")), 400);
  EXPECT_EQ(head_status(get("Content-Length: 1\r\nContent-Length: 1\r\n")), 400);
  EXPECT_EQ(head_status(get("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(head_status(get("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n")), 400);
  EXPECT_EQ(head_status(get("Content-Length: +1\r\n")), 400);
  EXPECT_EQ(head_status(get("Content-Length: 99999999999999999999\r\n")), 400);
  EXPECT_EQ(head_status(get("Transfer-Encoding: chunked, gzip\r\n")), 501);
  EXPECT_EQ(head_status(get("Transfer-Encoding: gzip, chunked\r\n")), 501);
  EXPECT_EQ(head_status(get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(head_status(get("X: a\rb\r\n")), 400);
  EXPECT_EQ(head_status(get(std::string("X: a\0b\r\n", 8))), 400);
  EXPECT_EQ(head_status(get("X : a\r\n")), 400);
  EXPECT_EQ(head_status("GET / HTTP/1.1\nHost: a\n\n"), 400);
  EXPECT_EQ(head_status("GET / HTTP/1.1\r\n\r\n"), 400);  // no Host
  EXPECT_EQ(head_status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(head_status("GET /#x HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(head_status("GET / HTTP/1.1\r\nHost: a\"><x\r\n\r\n"), 400);
  EXPECT_EQ(head_status("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"), 405);
  EXPECT_EQ(head_status("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(head_status("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
}

TEST(RequestReader, RefusesWhatIsTooLong) {
  EXPECT_EQ(head_status("GET /" + std::string(20'000, 'a')), 414);
  EXPECT_EQ(head_status("GET /" + std::string(17'000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
  EXPECT_EQ(head_status(get("X: " + std::string(70'000, 'a') + "\r\n")), 431);
  EXPECT_EQ(head_status(get("Content-Length: 9999999999\r\n")), 413);
  EXPECT_EQ(head_status("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"), 405);
}

TEST(RequestReader, ReadsChunkedBodiesInPiecesAndRefusesBrokenOnes) {
  const auto read = [](const std::string& body, std::string& out) {
    RequestReader reader{RequestLimits()};
    reader.start();
    std::size_t consumed = 0;
    std::string bytes = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
    EXPECT_EQ(reader.parse_head(bytes, consumed), State::done);
    bytes.erase(0, consumed);
    for (int i = 0; i < 100; ++i) {
      char piece[3];
      std::size_t written = 0;
      const State state = reader.parse_body(bytes, consumed, piece, sizeof piece, written);
      bytes.erase(0, consumed);
      out.append(piece, written);
      if (state != State::need_more || (consumed == 0 && written == 0)) return state;
    }
    return State::need_more;
  };
  std::string out;
  EXPECT_EQ(read("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n", out), State::done);
  EXPECT_EQ(out, "hello world");
  for (const char* bad : {"5\r\nhelloX\r\n0\r\n\r\n", "zz\r\n", "FFFFFFFFFFFFFFFFF\r\nx", "-1\r\n"})
    EXPECT_EQ(read(bad, out), State::bad) << bad;
  EXPECT_EQ(read("5\r\nhel", out), State::need_more);
}

}  // namespace
}  // namespace tanggul::beast
