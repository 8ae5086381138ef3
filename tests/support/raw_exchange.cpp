#include "support/raw_exchange.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace tanggul::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  a.sin_port = htons(port);
  return a;
}

// A file descriptor that closes itself.
struct Fd {
  Fd() : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Fd() { ::close(fd); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int fd;
};

bool connect_to(const Fd& s, std::uint16_t port) {
  const sockaddr_in a = loopback(port);
  return ::connect(s.fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

RawAnswer read_all(int fd, Duration read_timeout) {
  RawAnswer answer;
  char buffer[16 * 1024];
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(read_timeout);
  for (;;) {
    pollfd p{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&p, 1, static_cast<int>(wait.count())) <= 0) return answer;
    const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
    if (n <= 0) {
      answer.closed = true;
      return answer;
    }
    answer.bytes.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

RawAnswer raw_exchange(std::uint16_t port, const std::vector<std::string>& pieces, Duration between,
                       Duration read_timeout) {
  const Fd s;
  if (!connect_to(s, port)) return {.bytes = {}, .closed = true};
  const int on = 1;
  ::setsockopt(s.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) std::this_thread::sleep_for(between);
    if (!send_all(s.fd, pieces[i])) break;  // what it answered is still there to be read
  }
  return read_all(s.fd, read_timeout);
}

std::string raw_exchange(std::uint16_t port, std::string_view bytes, Duration read_timeout) {
  return raw_exchange(port, {std::string(bytes)}, Duration::zero(), read_timeout).bytes;
}

std::uint16_t free_port() {
  const Fd s;
  sockaddr_in a = loopback(0);
  socklen_t size = sizeof a;
  ::bind(s.fd, reinterpret_cast<const sockaddr*>(&a), sizeof a);
  ::getsockname(s.fd, reinterpret_cast<sockaddr*>(&a), &size);
  return ntohs(a.sin_port);
}

bool connectable(std::uint16_t port) {
  const Fd s;
  return connect_to(s, port);
}

}  // namespace tanggul::test
