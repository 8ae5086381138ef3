// TLS towards clients: the same stories, over https.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "base/bytes.h"
#include "base/digest.h"
#include "scenario/scenario.h"
#include "support/certificate.h"
#include "support/redis_server.h"
#include "support/tls_client.h"

namespace tanggul::test {
namespace {

namespace asio = boost::asio;

std::string sha256(std::string_view bytes) {
  Digest d(DigestKind::sha256);
  d.update(bytes);
  return to_hex(d.finish());
}

class Tls : public testing::Test {
 protected:
  Tls() {
    const Certificate made = make_certificate();
    cert_ = dir_.write("cert.pem", made.cert);
    key_ = dir_.write("key.pem", made.key);
  }

  void start(std::string_view origin_keys = "", std::string_view top = "") {
    start_with(generic_yaml(origin_, origin_keys, top));
  }
  void start_with(const std::string& yaml) {
    // AddressSanitizer keeps what is freed for a while, 256 MiB of it unless told; a record's
    // buffers come and go, and a bound on memory is to speak of what is used.
    shield_ = std::make_unique<TanggulProcess>(
        "tls: { cert: " + cert_ + ", key: " + key_ + " }\n" + yaml,
        ProcessSpec{.env = {{"ASAN_OPTIONS", "quarantine_size_mb=16"}}});
  }
  std::string url(std::string_view target) const {
    return "https://127.0.0.1:" + std::to_string(shield_->port()) + std::string(target);
  }
  CommandResult curl(std::vector<std::string> args) const {
    const std::vector<std::string> first = {"curl", "-sS", "--noproxy", "*", "--cacert", cert_};
    args.insert(args.begin(), first.begin(), first.end());
    return run_command({.args = std::move(args)}, 120s);
  }
  double aborted() const { return shield_->metric("tanggul_requests_total{result=\"aborted\"}"); }
  bool comes(const std::function<bool()>& condition) const {
    const MonoTime end = MonoClock::now() + 20s;
    while (!condition())
      if (MonoClock::now() > end) return false;
    return true;
  }
  static std::string get(std::string_view target, std::string_view more = "") {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(more) + "\r\n";
  }

  TempDir dir_;
  std::string cert_, key_;
  ScriptedOrigin origin_;
  std::unique_ptr<TanggulProcess> shield_;
};

TEST_F(Tls, AMissAndAHitOnOneConnectionWithTheTrustOfACertificate) {
  origin_.set_default(body_of(1000));
  start();
  const auto r = curl(
      {"-w", "|%{num_connects} %{http_version} %header{cache-status}|", url("/o/a"), url("/o/a")});
  EXPECT_EQ(r.status, 0) << r.err;
  const std::string body = generated_bytes(0, 1000);
  EXPECT_TRUE(r.out.starts_with(body + "|1 1.1 tanggul; fwd=")) << r.out;
  EXPECT_NE(r.out.find(body + "|0 1.1 tanggul; hit"), std::string::npos) << r.out;
  EXPECT_EQ(origin_.requests(), 1U);
  EXPECT_NE(shield_->process().err().find(" on https://127.0.0.1:"), std::string::npos);
  EXPECT_NE(run_command({.args = {"curl", "-sS", url("/o/a")}}).status, 0);  // nobody vouches
  expect_calm(*shield_);
}

TEST_F(Tls, AHeadHasNoBodyAndTheConnectionGoesOn) {
  origin_.set_default(body_of(1000));
  start();
  const auto r = curl({"-I", "-w", "%{num_connects}", url("/o/a"), url("/o/a")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("Content-Length: 1000"), std::string::npos) << r.out;
  EXPECT_TRUE(r.out.ends_with("\r\n\r\n0")) << r.out;
}

TEST_F(Tls, ChunkedBodiesArriveWhole) {
  Script chunked = body_of(300'000);
  chunked.framing = Framing::chunked;
  origin_.set("/stored", chunked);
  chunked.headers = {{"Cache-Control", "no-store"}};
  origin_.set("/passed", chunked);
  start();
  for (const char* target : {"/o/stored", "/o/stored", "/o/passed"})
    EXPECT_EQ(sha256(curl({url(target)}).out), sha256(generated_bytes(0, 300'000))) << target;
}

TEST_F(Tls, ALargeBodyIsWholeAsAMissAndAsAHitAndForASlowReader) {
  constexpr std::uint64_t kSize = 64ULL << 20;
  origin_.set("/big", body_of(kSize));
  start();
  const std::string whole = sha256(generated_bytes(0, kSize));
  for (int i = 0; i < 2; ++i) {
    const auto r = curl({"-o", dir_.file("big"), url("/o/big")});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(sha256(read_file(dir_.file("big"))), whole);
  }
  const auto r = curl({"--limit-rate", "24M", "-o", dir_.file("big"), url("/o/big")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(sha256(read_file(dir_.file("big"))), whole);
  EXPECT_EQ(origin_.requests(), 1U);
  EXPECT_LT(shield_->process().peak_rss(), 120ULL << 20);
  expect_calm(*shield_);
}

TEST_F(Tls, AnUploadIsStreamedThrough) {
  origin_.set("/up", body_of(10, "no-store"));
  start();
  const std::string body = generated_bytes(0, 20 << 20);
  const auto r = curl({"--data-binary", "@" + dir_.write("body", body), "-w", "%{http_code}", "-o",
                       "/dev/null", url("/o/up")});
  EXPECT_EQ(r.out, "200") << r.err;
  ASSERT_EQ(origin_.seen().size(), 1U);
  EXPECT_EQ(origin_.seen()[0].method, "POST");
  EXPECT_EQ(origin_.seen()[0].body_sha256, sha256(body));
}

TEST_F(Tls, PipelinedRequestsAreAnsweredInTheirOrder) {
  for (int i = 0; i < 20; ++i) {
    Script s;
    s.body = "<" + std::to_string(i) + ">";
    s.delay_head = i % 2 == 0 ? 20ms : 0ms;  // what comes behind a wait waits too
    origin_.set("/" + std::to_string(i), s);
  }
  start();
  std::string sent, expected;
  for (int i = 0; i < 20; ++i) sent += get("/o/" + std::to_string(i));
  TlsClient client(shield_->port());
  client.send(sent + get("/none", "Connection: close\r\n"));
  const std::string got = client.read_all();
  std::size_t at = 0;
  for (int i = 0; i < 20 && at != got.npos; ++i) at = got.find("<" + std::to_string(i) + ">", at);
  EXPECT_NE(at, got.npos) << got;
  EXPECT_TRUE(client.orderly());
  expect_calm(*shield_);
}

TEST_F(Tls, TwoHundredHandshakesAtOnceAllSucceed) {
  origin_.set_default(body_of(1000));
  start();
  const auto r =
      curl({"-Z", "--parallel-immediate", "--parallel-max", "200", "-o", dir_.file("out_#1"), "-w",
            "%{http_code} %{num_connects} %{size_download}\n", url("/o/a?[1-200]")});
  EXPECT_EQ(r.status, 0) << r.err;
  std::size_t whole = 0;
  for (std::size_t at = 0; (at = r.out.find("200 1 1000\n", at)) != r.out.npos; ++at) ++whole;
  EXPECT_EQ(whole, 200U) << r.out;
  expect_calm(*shield_);
}

TEST_F(Tls, ASessionIsResumed) {
  origin_.set_default(body_of(10));
  start();
  const std::string client =
      "printf 'GET /o/a HTTP/1.1\\r\\nHost: h\\r\\nConnection: close\\r\\n\\r\\n'"
      " | openssl s_client -ign_eof -connect 127.0.0.1:" +
      std::to_string(shield_->port());
  for (const std::string version : {" -tls1_3", " -tls1_2"}) {
    const auto r = run_command(
        {.args = {"sh", "-c",
                  client + version + " -sess_out s; " + client + version + " -sess_in s"},
         .cwd = dir_.path()});
    EXPECT_NE(r.out.find("\nNew, TLSv1"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("\nReused, TLSv1"), std::string::npos) << r.out;
  }
}

TEST_F(Tls, DocumentsNameTheAddressThatTheClientUsed) {
  Script document;
  document.headers = {{"Content-Type", "application/json"}};
  document.body =
      R"({"name":"a","versions":{"1.0.0":{"name":"a","version":"1.0.0","dist":{"tarball":")" +
      origin_.url() + R"(/a/-/a-1.0.0.tgz"}}}})";
  origin_.set("/a", document);
  start_with("origins: { npm: { kind: npm, upstream: \"" + origin_.url() + "\" } }\n");
  const auto r = curl({url("/npm/a")});
  EXPECT_NE(r.out.find(url("/npm/a/-/a-1.0.0.tgz")), std::string::npos) << r.out;
}

TEST_F(Tls, WhoLeavesWhileWaitingIsCountedAsAborted) {
  origin_.set_default(faulty(Fault::never_answer));
  start();
  EXPECT_EQ(curl({"--max-time", "0.5", url("/o/orderly")}).status, 28);  // with a close_notify
  EXPECT_TRUE(comes([&] { return aborted() == 1; }));
  {
    TlsClient client(shield_->port());
    client.send(get("/o/without_a_word"));
    EXPECT_TRUE(comes([&] { return origin_.requests("/without_a_word") == 1; }));
  }
  EXPECT_TRUE(comes([&] { return aborted() == 2; }));
  TlsClient client(shield_->port());
  client.send(get("/o/half_closed"));
  EXPECT_TRUE(comes([&] { return origin_.requests("/half_closed") == 1; }));
  client.end();
  EXPECT_TRUE(comes([&] { return aborted() == 3; }));
}

TEST_F(Tls, WhoLeavesBetweenTwoPiecesOfABodyIsNoticed) {
  Script events = body_of(1000, "no-store");
  events.framing = Framing::chunked;
  events.fault = Fault::drip;
  events.drip_interval = 1h;
  origin_.set_default(events);
  start();
  {
    TlsClient client(shield_->port());
    client.send(get("/o/events"));
    EXPECT_NE(client.read_until("\r\n\r\n").find(" 200 "), std::string::npos);
    client.end();
    EXPECT_TRUE(comes([&] { return origin_.open_connections() == 0; }));
  }
  EXPECT_TRUE(comes([&] { return aborted() == 1; }));
}

TEST_F(Tls, WhoHasSentItsEndIsStillServedWhereThatIsWanted) {
  Script slow = body_of(1000);
  slow.delay_head = 300ms;
  origin_.set_default(slow);
  start("", "client: { half_close: serve }\n");
  TlsClient client(shield_->port());
  client.send(get("/o/a"));
  client.end();
  EXPECT_TRUE(client.read_all().ends_with(generated_bytes(0, 1000)));
  EXPECT_TRUE(client.orderly());
}

TEST_F(Tls, AHandshakeThatStallsIsClosedInTime) {
  start("", "client: { header: 300ms, idle: 60s }\n");
  const std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  for (const std::string& said : {hello, std::string("\x16")}) {
    const auto answer = raw_exchange(shield_->port(), std::vector<std::string>{said}, 0s, 20s);
    EXPECT_TRUE(answer.closed);
    EXPECT_EQ(answer.bytes, "");
  }
  EXPECT_TRUE(raw_exchange(shield_->port(), std::vector<std::string>{""}, 0s, 20s).closed);
  expect_calm(*shield_);
}

TEST_F(Tls, PlainHttpIsToldThatThisPortSpeaksTls) {
  start();
  for (const char* method : {"GET", "DELETE", "OPTIONS"}) {
    RequestSpec spec;
    spec.method = method;
    spec.target = "/o/a";
    const auto r = send_request(shield_->port(), spec);
    EXPECT_EQ(r.status, 400);
    EXPECT_TRUE(is_problem(r));
    EXPECT_NE(r.body.find("this port speaks TLS"), std::string::npos) << r.body;
  }
  EXPECT_EQ(origin_.requests(), 0U);
  expect_calm(*shield_);
}

TEST_F(Tls, GarbageIsNeverAnsweredByHttp) {
  start();
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::string bytes = generated_bytes(round * 1000, 700);
    bytes[0] = static_cast<char>(round % 2 == 0 ? 0x16 : 0x80);
    const auto answer = raw_exchange(shield_->port(), std::vector<std::string>{bytes}, 0s, 20s);
    EXPECT_EQ(answer.bytes.find("HTTP/"), std::string::npos);
  }
  TlsClient within(shield_->port());
  within.send("\x01 no request\r\n\r\n");
  EXPECT_NE(within.read_all().find(" 400 "), std::string::npos);
  EXPECT_TRUE(within.orderly());
  expect_calm(*shield_);
}

TEST_F(Tls, StopsInOrderWhileHandshakesAreUnderWay) {
  origin_.set_default(body_of(100));
  start("", "client: { header: 60s, idle: 60s }\n");
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> half;
  for (int i = 0; i < 20; ++i) {
    half.emplace_back(io).connect({asio::ip::address_v4::loopback(), shield_->port()});
    asio::write(half.back(), asio::buffer("\x16\x03\x01\x02", i % 5));
  }
  TlsClient idle(shield_->port());
  idle.send(get("/o/a"));
  EXPECT_NE(idle.read_until("\r\n\r\n").find(" 200 "), std::string::npos);
  const MonoTime start = MonoClock::now();
  EXPECT_EQ(shield_->stop(20s), 0);
  EXPECT_LT(MonoClock::now() - start, 5s);  // not the whole of `shutdown`
  idle.read_all();
  EXPECT_TRUE(idle.orderly());
}

TEST_F(Tls, ABodyThatIsCutIsNeverWhole) {
  for (const Framing framing : {Framing::length, Framing::chunked}) {
    Script cut = body_of(2'000'000, "no-store");
    cut.fault = Fault::cut_body_at;
    cut.cut_at = 1'000'000;
    cut.framing = framing;
    origin_.set("/a", cut);
    start("    retry: { attempts: 1 }\n    negative: { unreachable: 0s }\n");
    for (const char* version : {"--http1.1", "--http1.0"}) {
      const auto r = curl({version, "-o", dir_.file("cut"), url("/o/a")});
      EXPECT_NE(r.status, 0) << version;
    }
    TlsClient client(shield_->port());
    client.send("GET /o/a HTTP/1.0\r\n\r\n");  // its body ends with the connection
    client.read_all();
    EXPECT_FALSE(client.orderly());
    EXPECT_TRUE(client.cut());
    expect_calm(*shield_);
  }
}

TEST_F(Tls, AFileThatDoesNotFitIsToldBeforeAnythingListens) {
  const auto key = dir_.write("other.pem", make_certificate().key);
  const std::string yaml = "tls: { cert: " + cert_ + ", key: " + key + " }\n";
  const std::string config = dir_.write("c.yaml", yaml + generic_yaml(origin_));
  const auto r =
      run_command({.args = {tanggul_binary(), "serve", "--config", config, "--listen",
                            "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", dir_.file("data")}},
                  20s);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "error: tls: the key in " + key + " does not belong to the certificate in " +
                       cert_ + "; write the one that it was made with\n");
}

TEST_F(Tls, NodesStreamFromEachOtherWhereTheyTrustEachOthersCertificate) {
  constexpr std::uint64_t kSize = 4 << 20;  // more than lies in Redis
  Script slow = body_of(kSize);
  slow.bytes_per_second = 4 << 20;
  origin_.set_default(slow);
  const RedisServer redis;
  const std::string yaml =
      generic_yaml(origin_, "",
                   "tls: { cert: " + cert_ + ", key: " + key_ + " }\ncluster: { redis: \"" +
                       redis.url() + "\", ca: " + cert_ + ", secret: a-secret-of-some-length }\n");
  TanggulProcess a(yaml), b(yaml);
  for (const TanggulProcess* node : {&a, &b})
    ASSERT_TRUE(eventually([&] { return node->metric("tanggul_cluster_nodes") == 2; }, 20s));
  const auto fetch = [&](const TanggulProcess& node, const std::string& to) {
    return std::make_unique<Process>(ProcessSpec{
        .args = {"curl", "-sS", "--noproxy", "*", "--cacert", cert_, "-o", dir_.file(to),
                 "https://127.0.0.1:" + std::to_string(node.port()) + "/o/big"}});
  };
  const auto at_a = fetch(a, "a");
  ASSERT_TRUE(eventually([&] { return origin_.requests() == 1; }));
  const auto at_b = fetch(b, "b");
  EXPECT_EQ(at_a->wait(30s), 0) << at_a->err();
  EXPECT_EQ(at_b->wait(30s), 0) << at_b->err();
  EXPECT_EQ(sha256(read_file(dir_.file("a"))), sha256(generated_bytes(0, kSize)));
  EXPECT_EQ(sha256(read_file(dir_.file("b"))), sha256(generated_bytes(0, kSize)));
  EXPECT_EQ(origin_.requests(), 1U);
  EXPECT_EQ(b.metric("tanggul_peer_requests_total{result=\"served\"}"), 1);
  EXPECT_EQ(b.metric("tanggul_peer_requests_total{result=\"unreachable\"}"), 0);
}

}  // namespace
}  // namespace tanggul::test
