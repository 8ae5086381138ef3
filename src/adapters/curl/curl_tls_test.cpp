#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/curl/fetch_for_test.h"
#include "support/process.h"
#include "support/raw_exchange.h"

namespace tanggul::curl {
namespace {

// A private CA, a server certificate for 127.0.0.1 and a client certificate, made for the test; the
// server is `openssl s_server -www`, which answers each GET with a page about the connection.
class CurlTls : public CurlTest {
 protected:
  void SetUp() override {
    const std::string script =
        "set -e; new='openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'\n"
        "$new -x509 -days 2 -subj /CN=ca -keyout ca.key -out ca.pem\n"
        "printf 'subjectAltName=IP:127.0.0.1' > san\n"
        "for who in server client; do\n"
        "  $new -subj /CN=$who -keyout $who.key -out $who.csr\n"
        "  openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2"
        " -extfile san -out $who.pem\n"
        "done\n";
    const auto made = test::run_command({.args = {"sh", "-c", script}, .cwd = dir_.path()});
    ASSERT_EQ(made.status, 0) << made.err;
  }
  void serve(std::vector<std::string> more = {}) {
    port_ = test::free_port();
    std::vector<std::string> args = {"openssl",
                                     "s_server",
                                     "-accept",
                                     std::to_string(port_),
                                     "-www",
                                     "-cert",
                                     dir_.file("server.pem"),
                                     "-key",
                                     dir_.file("server.key")};
    args.insert(args.end(), more.begin(), more.end());
    server_ = std::make_unique<test::Process>(test::ProcessSpec{.args = std::move(args)});
    ASSERT_TRUE(server_->wait_for_port(port_, 30s)) << server_->err();
  }
  FetchPtr over_tls(ports::OriginTls tls) {
    const FetchPtr f = make("https://127.0.0.1:" + std::to_string(port_));
    f->request.tls = std::move(tls);
    return f;
  }

  test::TempDir dir_;
  std::uint16_t port_ = 0;
  std::unique_ptr<test::Process> server_;
};

TEST_F(CurlTls, TrustsThePrivateCaItIsGivenAndNoOther) {
  serve();
  const FetchPtr trusted = run(over_tls({.ca = dir_.file("ca.pem")}));
  EXPECT_EQ(trusted->head.status, 200) << trusted->end.detail;
  const FetchPtr unknown = run(over_tls({}));
  EXPECT_EQ(unknown->end.error, Errc::refused);
  EXPECT_NE(unknown->end.detail.find("certificate"), std::string::npos) << unknown->end.detail;
  EXPECT_EQ(unknown->end.requests, 0);
  EXPECT_EQ(unknown->end.connections, 1);
  EXPECT_EQ(run(over_tls({.ca = dir_.file("none.pem")}))->end.error, Errc::refused);
}

TEST_F(CurlTls, ShowsItsClientCertificate) {
  serve({"-Verify", "1", "-verify_return_error", "-CAfile", dir_.file("ca.pem")});
  const FetchPtr known = run(over_tls({.ca = dir_.file("ca.pem"),
                                       .cert = dir_.file("client.pem"),
                                       .key = dir_.file("client.key")}));
  EXPECT_EQ(known->head.status, 200) << known->end.detail;
  const FetchPtr unknown = run(over_tls({.ca = dir_.file("ca.pem")}));
  EXPECT_TRUE(unknown->end.error);
}

TEST_F(CurlTls, IsNeverLedDownToPlainHttp) {
  ScriptedOrigin plain;
  dir_.write("start", "HTTP/1.1 302 Found\r\nLocation: " + plain.url() + "/x\r\n\r\n");
  port_ = test::free_port();
  server_ = std::make_unique<test::Process>(
      test::ProcessSpec{.args = {"openssl", "s_server", "-accept", std::to_string(port_), "-HTTP",
                                 "-cert", dir_.file("server.pem"), "-key", dir_.file("server.key")},
                        .cwd = dir_.path()});
  ASSERT_TRUE(server_->wait_for_port(port_, 30s));
  const FetchPtr f = over_tls({.ca = dir_.file("ca.pem")});
  f->request.target = "/start";
  EXPECT_EQ(run(f)->end.error, Errc::redirect) << f->end.detail;
  EXPECT_EQ(plain.requests(), 0u);
}

TEST_F(CurlTls, RefusedWhenThePeerSpeaksNoTls) {
  using tcp = async::asio::ip::tcp;
  tcp::acceptor acceptor(io_, {async::asio::ip::address_v4::loopback(), 0});
  acceptor.async_accept([](boost::system::error_code, tcp::socket socket) {
    boost::system::error_code ignored;
    async::asio::write(socket, async::asio::buffer("HTTP/1.1 400 Bad Request\r\n\r\n", 28),
                       ignored);
  });
  port_ = acceptor.local_endpoint().port();
  const FetchPtr f = run(over_tls({}));
  EXPECT_EQ(f->end.error, Errc::refused) << f->end.detail;
  EXPECT_FALSE(f->end.detail.empty());
}

TEST_F(CurlTls, GoesThroughTheProxyOfTheEnvironmentWithoutShowingItTheHeaders) {
  ScriptedOrigin proxy({.status = 403, .body = "no"});
  ::setenv("HTTPS_PROXY", proxy.url().c_str(), 1);
  const FetchPtr f = make("https://origin.invalid");
  f->request.headers.add("Authorization", "secret");
  run(f);
  ::unsetenv("HTTPS_PROXY");
  EXPECT_EQ(f->end.error, Errc::refused) << f->end.detail;
  EXPECT_EQ(f->heads, 0);  // the proxy's answer is not the origin's
  ASSERT_EQ(proxy.requests(), 1u);
  EXPECT_EQ(proxy.seen().at(0).method, "CONNECT");
  EXPECT_EQ(proxy.seen().at(0).target, "origin.invalid:443");
  EXPECT_FALSE(proxy.seen().at(0).headers.has("authorization"));
}

}  // namespace
}  // namespace tanggul::curl
