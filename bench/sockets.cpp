#include "sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

#include "support/wire.h"

namespace tanggul::bench {
namespace {

int connect_to(std::uint16_t port, bool slow) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int small = 16 * 1024, on = 1;
  if (slow) ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

}  // namespace

Sockets::Sockets(std::uint16_t port, std::size_t n, std::size_t slow) {
  test::raise_file_limit();
  for (std::size_t i = 0; i < n; ++i) fds_.push_back(connect_to(port, i < slow));
}

void Sockets::close(std::size_t i) {
  if (fds_[i] >= 0) ::close(fds_[i]);
  fds_[i] = -1;
}

void Sockets::close_all() {
  for (std::size_t i = 0; i < fds_.size(); ++i) close(i);
}

std::string get_request(std::uint16_t port, const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
}

}  // namespace tanggul::bench
