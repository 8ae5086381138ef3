#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <future>
#include <thread>

#include "adapters/beast/server.h"
#include "support/certificate.h"
#include "support/temp_dir.h"
#include "support/tls_client.h"

namespace tanggul::beast {
namespace {

// Says by which scheme it was asked.
class Echo final : public ports::Handler {
 public:
  bool answer_now(ports::Call& call, ports::Reply& reply) override {
    reply.status = 200;
    reply.head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";
    reply.body = call.scheme;
    return true;
  }
  Task<void> answer(ports::Call&, ports::Reply&) override { co_return; }
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent) override {}
};

// More than a socket and a record take.
class Large final : public ports::Handler {
 public:
  bool answer_now(ports::Call&, ports::Reply& reply) override {
    reply.status = 200;
    reply.head = "HTTP/1.1 200 OK\r\n";
    reply.body = body_;
    reply.close = true;  // its body ends with the connection
    return true;
  }
  Task<void> answer(ports::Call&, ports::Reply&) override { co_return; }
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent end) override {
    ended_.set_value(end);
  }
  ports::Sent end() { return ended_.get_future().get(); }

 private:
  const std::string body_ = std::string(64 << 20, 'x');
  std::promise<ports::Sent> ended_;
};

class ServerTls : public testing::Test {
 protected:
  void start(ServerConfig config = {},
             std::unique_ptr<ports::Handler> handler = std::make_unique<Echo>()) {
    std::signal(SIGPIPE, SIG_IGN);
    handler_ = std::move(handler);
    server_ = std::make_unique<Server>(io_.get_executor(), std::move(config), *handler_, nullptr);
    server_->set_tls(context());
    std::string error;
    ASSERT_TRUE(server_->listen(error)) << error;
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ServerTls() override {
    if (!thread_.joinable()) return;
    on_its_thread([this] { server_.reset(); });
    work_.reset();
    thread_.join();
  }
  std::shared_ptr<TlsContext> context() {
    const test::Certificate made = test::make_certificate();
    std::string error;
    auto loaded = TlsContext::load(dir_.write("c", made.cert), dir_.write("k", made.key), error);
    EXPECT_TRUE(loaded) << error;
    return *loaded;
  }
  void on_its_thread(std::function<void()> what) {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
      what();
      done.set_value();
    });
    done.get_future().wait();
  }
  static std::string ask(test::TlsClient& client) {
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    return client.read_until("https");
  }

  test::TempDir dir_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<async::Executor> work_{io_.get_executor()};
  std::unique_ptr<ports::Handler> handler_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(ServerTls, ANewCertificateIsForNewConnectionsAndTheOldOnesGoOn) {
  start();
  test::TlsClient before(server_->port());
  EXPECT_TRUE(ask(before).ends_with("https"));
  on_its_thread([this] { server_->set_tls(context()); });
  test::TlsClient after(server_->port());
  EXPECT_TRUE(ask(after).ends_with("https"));
  EXPECT_TRUE(ask(before).ends_with("https"));
  EXPECT_NE(before.subject(), after.subject());
}

TEST_F(ServerTls, ASmallAnswerIsOneRecord) {
  start();
  test::TlsClient client(server_->port());
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_TRUE(ask(client).ends_with("https"));
    EXPECT_EQ(client.records(), i);
  }
}

// Larger than a record and than the buffer at first.
TEST_F(ServerTls, ALargeHeadIsReadWholeAndOneThatIsTooLargeIsRefused) {
  start();
  for (const auto& [size, status] : {std::pair(60'000, "200"), std::pair(70'000, "431")}) {
    test::TlsClient client(server_->port());
    client.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(size, 'x') + "\r\n\r\n");
    EXPECT_TRUE(client.read_until("\r\n").starts_with(std::string("HTTP/1.1 ") + status)) << size;
  }
}

TEST_F(ServerTls, AnIdleConnectionEndsWithACloseNotify) {
  ServerConfig config;
  config.idle = 100ms;
  start(config);
  test::TlsClient client(server_->port());
  EXPECT_TRUE(ask(client).ends_with("https"));
  EXPECT_EQ(client.read_all(), "");
  EXPECT_TRUE(client.orderly());
}

TEST_F(ServerTls, AHeadThatStallsIsAnsweredWith408) {
  ServerConfig config;
  config.header = 100ms;
  start(config);
  test::TlsClient client(server_->port());
  client.send("GET / HT");
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(client.orderly());
}

TEST_F(ServerTls, AReaderThatStallsIsResetAndNotToldThatAllIsWell) {
  ServerConfig config;
  config.stall = 100ms;
  auto made = std::make_unique<Large>();
  Large& large = *made;
  start(config, std::move(made));
  test::TlsClient client(server_->port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(large.end(), ports::Sent::left);
  client.read_all();
  EXPECT_TRUE(client.cut());
  EXPECT_FALSE(client.orderly());
}

}  // namespace
}  // namespace tanggul::beast
