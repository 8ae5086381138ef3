#include "adapters/beast/quiet_read.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <string>

namespace tanggul::beast {
namespace {

using boost::system::error_code;

// A connection over loopback; the reads of its one end are noted. Each is silent if the one before
// it has emptied the socket, as a session's are.
class QuietReads : public testing::Test {
 protected:
  QuietReads() {
    asio::basic_socket_acceptor<asio::ip::tcp, async::Executor> listener(
        io_.get_executor(), asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    client_.connect(listener.local_endpoint());
    listener.accept(server_);
    server_.non_blocking(true);
    read_.emplace(server_);
  }

  Task<void> read_on(int times) {
    for (int i = 0; i < times; ++i) {
      co_await read_->begin(buffer_.data(), buffer_.size(), !seen_.empty() && read_->emptied());
      seen_.emplace_back(buffer_.data(), read_->size());
      emptied_ = read_->emptied();
      error_ = read_->error();
    }
  }
  void start(int times) {
    asio::co_spawn(io_, read_on(times), asio::detached);
    io_.poll();
  }
  void send(const std::string& bytes) { asio::write(client_, asio::buffer(bytes)); }
  // What has been sent over loopback is there; the loop has only to be told.
  void turn() {
    io_.restart();
    io_.run_for(std::chrono::milliseconds(20));
  }

  std::optional<QuietRead> read_;  // outlives the loop, and so every read
  asio::io_context io_{1};
  Socket client_{io_.get_executor()}, server_{io_.get_executor()};
  std::array<char, 8> buffer_{};
  std::vector<std::string> seen_;
  bool emptied_ = false;
  error_code error_;
};

TEST_F(QuietReads, ASilentReadHearsWhatComesLater) {
  send("one");
  start(3);
  turn();
  ASSERT_EQ(seen_, std::vector<std::string>({"one"}));
  EXPECT_TRUE(emptied_);
  send("two");
  turn();
  ASSERT_EQ(seen_, std::vector<std::string>({"one", "two"}));
  client_.close();
  turn();
  EXPECT_EQ(seen_.size(), 3U);
  EXPECT_EQ(error_, asio::error::eof);
}

TEST_F(QuietReads, WhatDidNotFitIsThereAtOnce) {
  send("twelve bytes");
  start(2);
  turn();
  EXPECT_EQ(seen_, std::vector<std::string>({"twelve b", "ytes"}));
  EXPECT_TRUE(emptied_);
}

TEST_F(QuietReads, AnEndThatComesWithTheBytesIsHeard) {
  send("bye");
  client_.shutdown(Socket::shutdown_send);
  start(2);
  turn();
  ASSERT_EQ(seen_.size(), 2U);
  EXPECT_EQ(seen_.front(), "bye");
  EXPECT_EQ(error_, asio::error::eof);
}

TEST_F(QuietReads, ACancelledReadCanBeBegunAgain) {
  start(2);
  server_.cancel();
  turn();
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(error_, asio::error::operation_aborted);
  send("late");
  turn();
  EXPECT_EQ(seen_.back(), "late");
}

TEST_F(QuietReads, ALoopThatEndsTakesAReadThatWaitsWithIt) {
  start(1);
  EXPECT_TRUE(seen_.empty());  // the leak checker sees the rest
}

}  // namespace
}  // namespace tanggul::beast
