#include "adapters/curl/curl_origin.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "adapters/curl/fetch_for_test.h"
#include "adapters/curl/gzip_for_test.h"
#include "support/process.h"

namespace tanggul::curl {
namespace {

class CurlOriginTest : public CurlTest {};

TEST_F(CurlOriginTest, DeliversHeadAndBodyInEveryFraming) {
  const std::pair<Framing, BodyFraming> cases[] = {
      {Framing::length, BodyFraming::length},
      {Framing::chunked, BodyFraming::chunked},
      {Framing::until_close, BodyFraming::until_close}};
  for (const auto& [sent, told] : cases) {
    ScriptedOrigin origin({.status = 201,
                           .headers = {{"X-Empty", ""}, {"Keep-Alive", "x"}},
                           .body = "hello",
                           .framing = sent});
    const FetchPtr f = get(origin);
    EXPECT_FALSE(f->end.error) << f->end.detail;
    EXPECT_EQ(f->heads, 1);
    EXPECT_EQ(f->head.status, 201);
    EXPECT_EQ(f->head.reason, "Created");
    EXPECT_EQ(f->framing, told);
    EXPECT_EQ(f->length, told == BodyFraming::length ? std::optional<ByteCount>(5) : std::nullopt);
    EXPECT_EQ(f->body, "hello");
    EXPECT_EQ(f->head.headers.size(), 1u);  // hop-by-hop and framing lines are gone
    EXPECT_EQ(f->head.headers.find("x-empty"), "");
    EXPECT_EQ(f->end.requests, 1);
    EXPECT_EQ(f->end.connections, 1);
  }
}

TEST_F(CurlOriginTest, SendsTheHeadersItWasGivenAndNoneOfItsOwn) {
  ScriptedOrigin origin;
  const FetchPtr f = make(origin.url());
  f->request.headers = {};
  f->request.headers.add("X-Empty", "");
  f->request.headers.add("x-CASE", "v1");
  f->request.headers.add("x-CASE", "v2; a:b");
  run(f);
  const http::Headers seen = origin.seen().at(0).headers;
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_TRUE(seen.has("host"));
  EXPECT_EQ(seen.find("x-empty"), "");
  EXPECT_EQ(seen.joined("x-case"), "v1, v2; a:b");
  EXPECT_EQ((seen.end() - 1)->name, "x-CASE");
}

TEST_F(CurlOriginTest, RefusesHeadersThatWouldForgeOthers) {
  ScriptedOrigin origin;
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"A", "1\r\nB: 2"}, {"A\nB", "1"}, {"A:B", "1"}, {"", "x"}}) {
    const FetchPtr f = make(origin.url());
    f->request.headers.add(name, value);
    EXPECT_EQ(run(f)->end.error, Errc::bad_input);
  }
  EXPECT_EQ(run(make(origin.url(), "/a b"))->end.error, Errc::bad_input);
  EXPECT_EQ(run(make("ftp://127.0.0.1", "/"))->end.error, Errc::bad_input);
  EXPECT_EQ(origin.requests(), 0u);
}

TEST_F(CurlOriginTest, KeepsTheRawTarget) {
  ScriptedOrigin origin;
  for (const char* target : {"/@s%2fname/../x//y/./z?q=%2F..&a b"}) {
    std::string t(target);
    t.erase(t.find(' '), 1);
    get(origin, t);
    EXPECT_EQ(origin.seen().back().target, t);
  }
  get(origin, "/a%zz/%");
  EXPECT_EQ(origin.seen().back().target, "/a%zz/%");
}

TEST_F(CurlOriginTest, ReusesItsConnections) {
  ScriptedOrigin origin({.body = "x"});
  EXPECT_EQ(get(origin)->end.connections, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(origin)->end.connections, 0);
  EXPECT_EQ(origin.connections(), 1u);
  const FetchPtr fresh = make(origin.url());
  fresh->request.fresh_connection = true;
  EXPECT_EQ(run(fresh)->end.connections, 1);
  EXPECT_EQ(origin.connections(), 2u);
}

TEST_F(CurlOriginTest, ResolvesNamesWithoutHoldingTheLoop) {
  ScriptedOrigin origin({.body = "x"});
  const FetchPtr f = run(make("http://localhost:" + std::to_string(origin.port())));
  EXPECT_EQ(f->body, "x") << f->end.detail;
  EXPECT_EQ(f->end.connections, 1);
  EXPECT_EQ(origin.connections(), 1u);
}

TEST_F(CurlOriginTest, RunsManyAtOnce) {
  ScriptedOrigin origin({.delay_head = 50ms, .generated_size = 10'000});
  std::vector<FetchPtr> all;
  for (int i = 0; i < 200; ++i) all.push_back(make(origin.url(), "/" + std::to_string(i)));
  run(all);
  for (const FetchPtr& f : all) EXPECT_TRUE(!f->end.error && f->size == 10'000) << f->end.detail;
  EXPECT_EQ(origin.requests(), 200u);
  EXPECT_GT(origin.max_concurrent(), 20u);
}

TEST_F(CurlOriginTest, StreamsALargeBody) {
  ScriptedOrigin origin({.generated_size = 64_MiB});
  const FetchPtr f = make(origin.url());
  f->check_generated = true;
  run(f);
  EXPECT_FALSE(f->end.error) << f->end.detail;
  EXPECT_EQ(f->size, 64_MiB);
  EXPECT_EQ(f->wrong_bytes, 0u);
}

TEST_F(CurlOriginTest, AnswersHeadWithTheLengthAmongTheHeaders) {
  ScriptedOrigin origin({.body = "hello"});
  const FetchPtr f = make(origin.url());
  f->request.method = "HEAD";
  run(f);
  EXPECT_FALSE(f->end.error) << f->end.detail;
  EXPECT_EQ(f->framing, BodyFraming::none);
  EXPECT_EQ(f->head.headers.find("content-length"), "5");
  EXPECT_EQ(origin.seen().at(0).method, "HEAD");
}

TEST_F(CurlOriginTest, PassesA304On) {
  ScriptedOrigin origin({.body = "hello", .etag = "\"a\""});
  const FetchPtr f = make(origin.url());
  f->request.headers.add("If-None-Match", "\"a\"");
  run(f);
  EXPECT_EQ(f->head.status, 304);
  EXPECT_EQ(f->framing, BodyFraming::none);
  EXPECT_EQ(f->head.headers.find("etag"), "\"a\"");
  EXPECT_EQ(f->size, 0u);
}

TEST_F(CurlOriginTest, SkipsInterimHeads) {
  ScriptedOrigin origin({.body = "x",
                         .before_head = "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
                                        "HTTP/1.1 102 Processing\r\n\r\n"});
  const FetchPtr f = get(origin);
  EXPECT_EQ(f->heads, 1);
  EXPECT_EQ(f->head.status, 200);
  EXPECT_FALSE(f->head.headers.has("link"));
}

TEST_F(CurlOriginTest, DecodesGzipWhenAsked) {
  const std::string plain(100'000, 'z');
  ScriptedOrigin origin({.headers = {{"Content-Encoding", "gzip"}}, .body = gzip(plain)});
  const FetchPtr f = make(origin.url());
  f->request.decode = true;
  f->request.headers.add("Accept-Encoding", "br");
  run(f);
  EXPECT_FALSE(f->end.error) << f->end.detail;
  EXPECT_EQ(f->body, plain);
  EXPECT_FALSE(f->length);
  EXPECT_EQ(f->framing, BodyFraming::length);
  EXPECT_FALSE(f->head.headers.has("content-encoding"));
  EXPECT_EQ(origin.seen().at(0).headers.joined("accept-encoding"), "gzip");
  // Not asked: as it is.
  EXPECT_EQ(get(origin)->body, gzip(plain));
}

TEST_F(CurlOriginTest, TellsADecodingThatCannotBeWhole) {
  const std::string packed = gzip(std::string(100'000, 'z'));
  ScriptedOrigin origin;
  const auto decode = [&](std::string coding, std::string body) {
    origin.set_default({.headers = {{"Content-Encoding", coding}}, .body = std::move(body)});
    const FetchPtr f = make(origin.url());
    f->request.decode = true;
    return run(f)->end.error;
  };
  EXPECT_EQ(decode("gzip", packed.substr(0, packed.size() - 1)), Errc::truncated);
  EXPECT_EQ(decode("gzip", "plain"), Errc::bad_response);
  EXPECT_EQ(decode("br", "x"), Errc::bad_response);
  EXPECT_EQ(decode("identity", "x"), std::nullopt);
}

TEST_F(CurlOriginTest, SendsTheAbsoluteFormToAPlainProxy) {
  ScriptedOrigin proxy({.body = "by proxy"});
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  const FetchPtr f = run(make("http://origin.invalid:81", "/a%2fb/../c//d?e"));
  ::setenv("no_proxy", "127.0.0.1", 1);
  ScriptedOrigin direct;
  get(direct, "/a%2fb/../c//d?e");
  ::unsetenv("http_proxy");
  ::unsetenv("no_proxy");
  EXPECT_EQ(f->body, "by proxy");
  EXPECT_EQ(proxy.seen().at(0).target, "http://origin.invalid:81/a%2fb/../c//d?e");
  EXPECT_EQ(direct.seen().at(0).target, "/a%2fb/../c//d?e");
}

TEST_F(CurlOriginTest, LeavesNothingDanglingWhenTheLoopEndsInMidFetch) {
  ScriptedOrigin origin({.fault = Fault::never_answer});
  std::vector<FetchPtr> all;
  for (int i = 0; i < 10; ++i) all.push_back(make(origin.url()));
  {
    async::asio::io_context io(1);
    const auto adapter = make_curl_origin(io.get_executor());
    for (const FetchPtr& f : all) async::spawn(io.get_executor(), "f", run_fetch(*adapter, f));
    while (origin.requests() < 10) io.run_one_for(std::chrono::milliseconds(1));
  }
  while (origin.open_connections() > 0) std::this_thread::yield();  // its sockets are closed
  EXPECT_FALSE(all[0]->done);
}

}  // namespace
}  // namespace tanggul::curl
