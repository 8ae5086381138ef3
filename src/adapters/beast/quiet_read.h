#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "async/task.h"

namespace tanggul::beast {

namespace asio = boost::asio;
using Socket = asio::basic_stream_socket<asio::ip::tcp, async::Executor>;

// Reads of one plain socket, one at a time, made for a client that asks again and again: a read
// takes no memory, and where the last one has emptied the socket no recv either before something
// has come. Asio's own calls recv first and waits when that has failed, twice the calls for each
// request. It cannot be told otherwise from outside, so this stands in its reactor itself, with the
// version of Boost that the build asks for. One thread; lives as long as a read waits.
class QuietRead : private asio::detail::reactor_op {
 public:
  explicit QuietRead(Socket& socket);

  // co_await read.begin(…), then error() and size(). `silent`: emptied() was true, and since then
  // nothing has been waited for, so that whatever comes is told to this read.
  auto begin(char* to, std::size_t size, bool silent) {
    return [this, to, size, silent](auto* frame) -> Coroutine* {
      start(frame->detach_thread(), to, size, silent);
      return nullptr;
    };
  }

  const boost::system::error_code& error() const noexcept { return ec_; }
  std::size_t size() const noexcept { return bytes_transferred_; }
  // The last read took all there was, the end included.
  bool emptied() const noexcept { return emptied_; }

 private:
  using Coroutine = asio::detail::awaitable_thread<async::Executor>;

  void start(Coroutine* coroutine, char* to, std::size_t size, bool silent);
  ssize_t receive();
  static status perform(reactor_op* base);
  static void complete(void* owner, asio::detail::operation* base, const boost::system::error_code&,
                       std::size_t);

  Socket& socket_;
  asio::detail::reactor& reactor_;
  std::optional<Coroutine> waiting_;
  char* to_ = nullptr;
  std::size_t room_ = 0;
  bool silent_ = false;  // the first attempt is left out
  bool emptied_ = false;
};

}  // namespace tanggul::beast
