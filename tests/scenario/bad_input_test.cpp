// What no client should send. Each is answered clearly, at a bounded cost, and never forwarded.
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

class BadInput : public testing::Test {
 protected:
  // The status of the first answer to these bytes; 0 where there is none.
  int status_of(const std::string& bytes, Duration wait = 3s) const {
    const std::string answer = raw_exchange(shield.port(), bytes, wait);
    if (!answer.starts_with("HTTP/1.1 ") || answer.size() < 12) return 0;
    return std::stoi(answer.substr(9, 3));
  }
  int get_with(const std::string& lines) const {
    return status_of("GET /o/a HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n");
  }
  void TearDown() override {
    EXPECT_EQ(origin.requests("/a"), 0U) << "it was forwarded";
    EXPECT_EQ(get(shield.port(), "/o/fine").status, 200);
    expect_calm(shield);
  }

  ScriptedOrigin origin{body_of(100)};
  TanggulProcess shield{
      generic_yaml(origin, "    max_body: 1MiB\n", "client: { header: 1s, idle: 2s }\n")};
};

TEST_F(BadInput, AmbiguousFramingIs400) {
  EXPECT_EQ(get_with("Content-Length: 1\r\nContent-Length: 2\r\n"), 400);
  EXPECT_EQ(get_with("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(get_with("Content-Length: -1\r\n"), 400);
  EXPECT_EQ(get_with("Content-Length: 1, 2\r\n"), 400);
  EXPECT_EQ(get_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"), 400);
}

TEST_F(BadInput, ForbiddenBytesInHeadersAre400) {
  EXPECT_EQ(get_with(std::string("X: a\0b\r\n", 8)), 400);
  EXPECT_EQ(get_with("X: a\rb\r\n"), 400);
  EXPECT_EQ(get_with("X y: z\r\n"), 400);
  EXPECT_EQ(status_of("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), 400);  // TLS to a plain port
}

TEST_F(BadInput, ABrokenChunkIs400) {
  EXPECT_EQ(status_of("POST /o/b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            400);
  EXPECT_EQ(status_of("POST /o/b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "fffffffffffffffff\r\n"),
            400);
}

TEST_F(BadInput, OversizedPartsHaveTheirStatuses) {
  EXPECT_EQ(status_of("GET /o/" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n"), 414);
  EXPECT_EQ(status_of("GET /o/" + std::string(10'000'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n"),
            414);
  EXPECT_EQ(get_with("X: " + std::string(100'000, 'a') + "\r\n"), 431);
  EXPECT_EQ(status_of("POST /o/a HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n"), 413);
  EXPECT_LT(shield.process().peak_rss(), 100ULL << 20);
}

TEST_F(BadInput, AChunkedBodyOverMaxBodyIs413) {
  std::string bytes = "POST /o/b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i) bytes += "10000\r\n" + std::string(65'536, 'x') + "\r\n";
  EXPECT_EQ(status_of(bytes + "0\r\n\r\n"), 413);
}

TEST_F(BadInput, EachOriginHasItsOwnMaxBody) {
  std::string yaml = "access_log: off\norigins:\n";
  for (const char* o : {"small", "large"})
    yaml += std::string("  ") + o + ":\n    kind: generic\n    upstream: " + origin.url() +
            "\n    max_body: " + (*o == 's' ? "1KiB" : "1MiB") + "\n";
  TanggulProcess two(yaml);
  RequestSpec spec;
  spec.method = "POST";
  spec.body = std::string(5000, 'x');
  spec.target = "/small/b";
  EXPECT_EQ(send_request(two.port(), spec).status, 413);
  spec.target = "/large/b";
  EXPECT_EQ(send_request(two.port(), spec).status, 200);
  const std::string chunked =
      "POST /small/b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" +
      std::string(4096, 'x') + "\r\n0\r\n\r\n";
  EXPECT_TRUE(raw_exchange(two.port(), chunked, 3s).starts_with("HTTP/1.1 413"));
}

TEST_F(BadInput, MethodsAndTargetsOutOfPlaceAreRefused) {
  EXPECT_EQ(status_of("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"), 405);
  EXPECT_EQ(status_of("GET * HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_of("OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), 204);
  EXPECT_EQ(status_of("GET h:80 HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET o/a HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /o/a HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /o/a HTTP/3.0\r\nHost: h\r\n\r\n"), 505);
}

TEST_F(BadInput, AnAbsoluteTargetNeverChoosesTheUpstream) {
  ScriptedOrigin other(body_of(100));
  const std::string line =
      "GET " + other.url() + "/o/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(status_of(line), 200);
  EXPECT_EQ(other.requests(), 0U);
  EXPECT_EQ(origin.requests("/x"), 1U);
}

TEST_F(BadInput, DotsAndSlashesStayRawAndBelowTheMount) {
  for (const std::string path : {"/../x", "/%2e%2e/x", "//x", "/./x", "/%2f..%2fx", "/a//../../x"})
    EXPECT_EQ(status_of("GET /o" + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), 200)
        << path;
  const auto seen = origin.seen();
  ASSERT_EQ(seen.size(), 6U);
  EXPECT_EQ(seen[0].target, "/../x");
  EXPECT_EQ(seen[1].target, "/%2e%2e/x");
  EXPECT_EQ(seen[2].target, "//x");
}

TEST_F(BadInput, ALateRequestIs408AndAnIdleConnectionIsClosed) {
  const auto slow = raw_exchange(shield.port(), {"GET /o/a HT", "TP/1.1\r\n", "Host: "}, 700ms, 4s);
  EXPECT_TRUE(slow.bytes.starts_with("HTTP/1.1 408")) << slow.bytes;
  EXPECT_TRUE(slow.closed);
  const auto idle = raw_exchange(shield.port(), {""}, 0ms, 6s);
  EXPECT_TRUE(idle.bytes.empty());
  EXPECT_TRUE(idle.closed);
}

TEST_F(BadInput, PipelinedRequestsAreAnsweredInOrder) {
  std::string bytes;
  for (int i = 0; i < 3; ++i) bytes += "GET /o/fine HTTP/1.1\r\nHost: h\r\n\r\n";
  bytes += "GET /nowhere HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  const std::string answers = raw_exchange(shield.port(), bytes, 3s);
  std::size_t ok = 0;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 200", at)) != std::string::npos; ++at) ++ok;
  EXPECT_EQ(ok, 3U);
  EXPECT_GT(answers.find("HTTP/1.1 404"), answers.rfind("HTTP/1.1 200"));
}

TEST_F(BadInput, OurOwnAnswersToHeadHaveNoBody) {
  const std::string answers =
      raw_exchange(shield.port(),
                   "HEAD /nowhere HTTP/1.1\r\nHost: h\r\n\r\n"
                   "GET /o/fine HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
                   3s);
  const auto end = answers.find("\r\n\r\n");
  ASSERT_NE(end, std::string::npos);
  EXPECT_TRUE(answers.substr(end + 4).starts_with("HTTP/1.1 200")) << answers;
}

TEST_F(BadInput, AnOriginsStatusOutOfRangeIsABadGateway) {
  origin.set("/odd", failing(999));
  EXPECT_EQ(get(shield.port(), "/o/odd").status, 502);
}

TEST_F(BadInput, EmptyLinesBeforeARequestAreIgnored) {
  EXPECT_EQ(status_of("\r\n\r\nGET /o/fine HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), 200);
}

TEST_F(BadInput, AnUnknownMountIs404WithTheMounts) {
  const auto r = get(shield.port(), "/nowhere");
  EXPECT_EQ(r.status, 404);
  EXPECT_TRUE(is_problem(r));
  EXPECT_NE(r.body.find("/o/"), std::string::npos);
}

TEST_F(BadInput, Http10IsServedAndClosed) {
  const std::string answer = raw_exchange(shield.port(), "GET /o/fine HTTP/1.0\r\n\r\n", 3s);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

}  // namespace
}  // namespace tanggul::test
