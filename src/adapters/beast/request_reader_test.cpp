#include "adapters/beast/request_reader.h"

#include <gtest/gtest.h>

#include <vector>

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

// What a reader makes of a head: everything that can be asked of it.
struct Reading {
  State state = State::need_more;
  int status = 0;
  std::size_t consumed = 0;
  std::string method, target;
  std::vector<std::string> fields;
  bool keep_alive = false, has_body = false, expects_continue = false;
  bool operator==(const Reading&) const = default;
};

// `first` bytes come before the others: a head that comes in two pieces is Beast's alone.
Reading reading_of(const std::string& bytes, std::size_t first) {
  RequestReader reader{RequestLimits()};
  reader.start();
  Reading r;
  std::size_t consumed = 0;
  r.state = reader.parse_head(std::string_view(bytes).substr(0, first), consumed);
  if (r.state == State::need_more && first < bytes.size()) {
    r.consumed = consumed;
    r.state = reader.parse_head(std::string_view(bytes).substr(consumed), consumed);
  }
  r.consumed += consumed;
  if (r.state == State::bad) {
    r.consumed = 0;  // how far it came says nothing
    r.status = reader.status();
  }
  if (r.state != State::done) return r;
  http::RequestHead head;
  reader.fill(head);
  r.method = head.method;
  r.target = head.target;
  for (const auto& h : head.headers)
    r.fields.push_back(std::string(h.name) + ": " + std::string(h.value));
  r.keep_alive = reader.keep_alive();
  r.has_body = reader.has_body();
  r.expects_continue = reader.expects_continue();
  return r;
}

TEST(RequestReader, ReadsAHeadThatComesWholeAsBeastReadsIt) {
  const std::vector<std::string> heads = {
      get(""),
      get("Connection: keep-alive\r\nAccept: */*\r\nX-Empty:\r\nX-B: \t a b \t\r\n"),
      get("Connection: close\r\n"),
      get("Connection: keep-alive, X-A\r\nX-A: 1\r\n"),
      get("Content-Length: 0\r\n"),
      get("Content-Length: 5\r\n") + "hello",
      get("Expect: 100-continue\r\nContent-Length: 5\r\n"),
      get("X: a\r\n b\r\n"),
      "HEAD http://h/p?q=1 HTTP/1.1\r\nhost: h\r\nCookie: a=\"b\"; c\r\n\r\nGET / HTTP/1.1\r\n",
      "GET /a HTTP/1.0\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET  /two HTTP/1.1\r\nHost: a\r\n\r\n",
  };
  // Every head, and every head with one byte put in the place of another: no difference.
  const std::string strange("\0\t\n\r \"#%:/@a\x7f\x80\xff", 15);
  std::size_t taken = 0;
  for (const std::string& head : heads)
    for (std::size_t i = 0; i <= head.size(); ++i)
      for (const char c : i < head.size() ? strange : std::string(1, 'a')) {
        std::string bytes = head;
        if (i < bytes.size()) bytes[i] = c;
        const Reading whole = reading_of(bytes, bytes.size()), in_two = reading_of(bytes, 1);
        ASSERT_TRUE(whole == in_two) << bytes << "\n-- " << whole.status << " / " << in_two.status;
        taken += whole.state == State::done ? 1 : 0;
      }
  EXPECT_GT(taken, heads.size());
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
