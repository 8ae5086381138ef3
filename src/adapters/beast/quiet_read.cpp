#include "adapters/beast/quiet_read.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/version.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#if BOOST_ASIO_VERSION != 102600 || !defined(BOOST_ASIO_HAS_EPOLL)
#error "QuietRead knows the reactor of Boost 1.81 on Linux; look at it again for another"
#endif

namespace tanggul::beast {
namespace {

using boost::system::error_code;

// What a socket keeps for the reactor lies in a protected member.
struct Inside : Socket {
  static auto& of(Socket& socket) { return (socket.*(&Inside::impl_)).get_implementation(); }
};

}  // namespace

QuietRead::QuietRead(Socket& socket)
    : reactor_op(error_code(), &QuietRead::perform, &QuietRead::complete),
      socket_(socket),
      reactor_(asio::use_service<asio::detail::reactor>(socket.get_executor().context())) {
  // With each read the kernel tells how much is left, and counts an end that has come (Linux 4.18).
  // Where it does not, no read is known to have emptied the socket.
  const int on = 1;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_INQ, &on, sizeof on);
}

void QuietRead::start(Coroutine* coroutine, char* to, std::size_t size, bool silent) {
  waiting_.emplace(std::move(*coroutine));
  to_ = to;
  room_ = size;
  ec_ = error_code();
  bytes_transferred_ = 0;
  emptied_ = false;
  silent_ = silent;
  auto& inside = Inside::of(socket_);
  reactor_.start_op(asio::detail::reactor::read_op, inside.socket_, inside.reactor_data_, this,
                    true, true);
  silent_ = false;  // also where the reactor has not tried
}

ssize_t QuietRead::receive() {
  iovec part{to_, room_};
  alignas(cmsghdr) char told[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = told;
  message.msg_controllen = sizeof told;
  ssize_t n;
  do {
    n = ::recvmsg(socket_.native_handle(), &message, 0);
  } while (n < 0 && errno == EINTR);
  const cmsghdr* c = CMSG_FIRSTHDR(&message);
  if (n <= 0 || c == nullptr || c->cmsg_level != IPPROTO_TCP || c->cmsg_type != TCP_CM_INQ)
    return n;
  int left = 0;
  std::memcpy(&left, CMSG_DATA(c), sizeof left);
  emptied_ = left == 0;
  return n;
}

// Called by the reactor when something has come, and at once where the last read did not empty the
// socket.
QuietRead::status QuietRead::perform(reactor_op* base) {
  auto& self = *static_cast<QuietRead*>(base);
  if (std::exchange(self.silent_, false)) return not_done;
  const ssize_t n = self.receive();
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return not_done;
  if (n < 0) self.ec_ = error_code(errno, asio::error::get_system_category());
  if (n == 0) self.ec_ = asio::error::eof;
  self.bytes_transferred_ = n > 0 ? static_cast<std::size_t>(n) : 0;
  return n == 0 ? done_and_exhausted : done;
}

// Without an owner the loop is being destroyed, and the coroutine with it. Afterwards this object
// may be gone.
void QuietRead::complete(void* owner, asio::detail::operation* base, const error_code&,
                         std::size_t) {
  auto& self = *static_cast<QuietRead*>(base);
  Coroutine coroutine(std::move(*self.waiting_));
  self.waiting_.reset();
  if (owner != nullptr) coroutine.launch();
}

}  // namespace tanggul::beast
