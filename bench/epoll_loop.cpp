// epoll_loop PORT BODY_BYTES: the least that an HTTP server can do for a request. One recv, a
// search for the blank line, one send of a fixed head and body; keep-alive; one thread. No parsing,
// no look-up, no clock. What a cache costs is told as a multiple of this.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

// The fields that the caches beside it send with a hit.
std::string answer_of(std::size_t size) {
  return "HTTP/1.1 200 OK\r\nCache-Control: max-age=86400\r\n"
         "Content-Type: application/octet-stream\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
         "Age: 1\r\nCache-Status: loop; hit; ttl=86399\r\nContent-Length: " +
         std::to_string(size) + "\r\n\r\n" + std::string(size, 'x');
}

int listen_on(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return -1;
  return ::listen(fd, 1024) == 0 ? fd : -1;
}

class Loop {
 public:
  Loop(int listener, std::string answer) : listener_(listener), answer_(std::move(answer)) {
    watch(listener_, EPOLLIN, EPOLL_CTL_ADD);
  }

  void run() {
    std::array<epoll_event, 64> events{};
    for (;;) {
      const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < n; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.fd == listener_) {
          accept_all();
        } else if (event.events & EPOLLOUT) {
          send_rest(event.data.fd);
        } else {
          serve(event.data.fd);
        }
      }
    }
  }

 private:
  void watch(int fd, std::uint32_t what, int how) const {
    epoll_event event{.events = what, .data = {.fd = fd}};
    ::epoll_ctl(epoll_, how, fd, &event);
  }

  void accept_all() {
    int fd;
    while ((fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      watch(fd, EPOLLIN, EPOLL_CTL_ADD);
    }
  }

  void serve(int fd) {
    const ssize_t n = ::recv(fd, buffer_.data(), buffer_.size(), 0);
    if (n <= 0) {
      unsent_.erase(fd);
      ::close(fd);
      return;
    }
    const std::string_view request(buffer_.data(), static_cast<std::size_t>(n));
    if (request.find("\r\n\r\n") != request.npos) send_from(fd, 0);
  }

  void send_rest(int fd) {
    const std::size_t from = unsent_[fd];
    unsent_.erase(fd);
    watch(fd, EPOLLIN, EPOLL_CTL_MOD);
    send_from(fd, from);
  }

  // What the socket does not take at once waits for EPOLLOUT.
  void send_from(int fd, std::size_t from) {
    const ssize_t n = ::send(fd, answer_.data() + from, answer_.size() - from, MSG_NOSIGNAL);
    const std::size_t sent = from + static_cast<std::size_t>(n > 0 ? n : 0);
    if (sent == answer_.size()) return;
    unsent_[fd] = sent;
    watch(fd, EPOLLOUT, EPOLL_CTL_MOD);
  }

  int listener_;
  int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::string answer_;
  std::array<char, 16 * 1024> buffer_{};
  std::unordered_map<int, std::size_t> unsent_;  // from which byte; only while a send is short
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: epoll_loop PORT BODY_BYTES\n";
    return 2;
  }
  const int listener = listen_on(static_cast<std::uint16_t>(std::atoi(argv[1])));
  if (listener < 0) {
    std::cerr << "epoll_loop: cannot listen on port " << argv[1] << "\n";
    return 1;
  }
  Loop(listener, answer_of(static_cast<std::size_t>(std::atoll(argv[2])))).run();
}
