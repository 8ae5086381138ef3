#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <string_view>
#include <thread>

namespace tanggul::app {

// Answers one request with `answer` and remembers what was asked.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : answer_(std::move(answer)) {
    thread_ = std::thread([this] {
      boost::system::error_code ec;
      boost::asio::ip::tcp::socket socket = acceptor_.accept(ec);
      if (ec) return;
      const std::size_t head =
          boost::asio::read_until(socket, boost::asio::dynamic_buffer(asked_), "\r\n\r\n", ec);
      // What is not read would have the answer cut off when the connection is closed.
      const std::size_t whole = head + body_length();
      if (asked_.size() < whole)
        boost::asio::read(socket, boost::asio::dynamic_buffer(asked_),
                          boost::asio::transfer_exactly(whole - asked_.size()), ec);
      boost::asio::write(socket, boost::asio::buffer(answer_), ec);
    });
  }
  ~OneAnswer() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  const std::string& asked() {
    join();
    return asked_;
  }

 private:
  std::size_t body_length() const {
    constexpr std::string_view kField = "Content-Length: ";
    const std::size_t at = asked_.find(kField);
    return at == std::string::npos ? 0 : std::stoul(asked_.substr(at + kField.size()));
  }

  std::string answer_, asked_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

inline std::string ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace tanggul::app
