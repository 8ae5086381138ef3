#include "support/redis_client.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace tanggul::test {
namespace {

class BlockingClient {
 public:
  BlockingClient(std::uint16_t port, Duration at_most)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(at_most).count();
    const timeval limit{.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons(port);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0;
  }
  ~BlockingClient() { ::close(fd_); }
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;

  RedisReply run(const std::vector<std::string>& args) {
    if (!connected_) throw std::runtime_error("redis: nobody listens");
    std::string out = "*" + std::to_string(args.size()) + "\r\n";
    for (const std::string& a : args) out += "$" + std::to_string(a.size()) + "\r\n" + a + "\r\n";
    for (std::string_view rest = out; !rest.empty();) {
      const ssize_t n = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (n <= 0) throw std::runtime_error("redis: cannot send");
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    return reply();
  }

 private:
  void fill() {
    char buffer[16 * 1024];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) throw std::runtime_error("redis: no answer");
    in_.append(buffer, static_cast<std::size_t>(n));
  }
  std::string take(std::size_t n) {
    std::string out = in_.substr(0, n);
    in_.erase(0, n);
    return out;
  }
  std::string line() {
    std::size_t end;
    while ((end = in_.find("\r\n")) == std::string::npos) fill();
    std::string out = take(end);
    in_.erase(0, 2);
    return out;
  }
  RedisReply reply() {
    const std::string head = line();
    if (head.empty()) throw std::runtime_error("redis: an empty line");
    RedisReply r{.type = head[0], .text = head.substr(1), .items = {}};
    if (r.type != '$' && r.type != '*') return r;
    const std::int64_t size = r.integer();
    r.text.clear();
    if (size < 0) {
      r.type = '_';
    } else if (r.type == '*') {
      for (std::int64_t i = 0; i < size; ++i) r.items.push_back(reply());
    } else {
      while (in_.size() < static_cast<std::size_t>(size) + 2) fill();
      r.text = take(static_cast<std::size_t>(size));
      in_.erase(0, 2);
    }
    return r;
  }

  int fd_;
  bool connected_ = false;
  std::string in_;
};

}  // namespace

RedisReply redis_command(std::uint16_t port, const std::vector<std::string>& args,
                         const std::vector<std::string>& auth, Duration at_most) {
  BlockingClient client(port, at_most);
  if (!auth.empty()) {
    std::vector<std::string> login{"AUTH"};
    login.insert(login.end(), auth.begin(), auth.end());
    const RedisReply answer = client.run(login);
    if (answer.error()) return answer;
  }
  return client.run(args);
}

}  // namespace tanggul::test
