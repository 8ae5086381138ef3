#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <tuple>

#include "adapters/beast/quiet_read.h"
#include "async/task.h"

struct ssl_st;

namespace tanggul::beast {

class TlsContext;

// A client's socket, plain or under TLS. One thread. Plain, writing is the socket's own and reading
// QuietRead's.
//
// Under TLS OpenSSL reads and writes the non-blocking socket itself, and we only wait until it is
// ready. So an idle connection holds no buffers, and a wait that was cancelled leaves the stream
// as it was, to be read or written on. The process must ignore SIGPIPE.
class Connection {
 public:
  using Outcome = std::tuple<boost::system::error_code, std::size_t>;

  Connection(Socket socket, const TlsContext* tls);  // null: plain
  ~Connection();

  bool tls() const noexcept { return ssl_ != nullptr; }
  Socket& socket() noexcept { return socket_; }

  // plain_http: the peer speaks HTTP to a port of TLS. Nothing of it has been read, and from now on
  // this is a plain connection, on which it may be told.
  enum class Handshake { done, failed, plain_http };
  Task<Handshake> handshake();

  // What it is read with while it is plain, and after end_sending(); else null, and tls_read() is.
  // asio::error::eof: the peer's orderly end.
  QuietRead* plain() noexcept { return plain_ ? &*plain_ : nullptr; }
  Task<Outcome> tls_read(char* to, std::size_t size);
  Task<Outcome> write_some(const char* from, std::size_t size);

  // Under TLS alone: what can be read without waiting; else would_block.
  std::size_t try_read(char* to, std::size_t size, boost::system::error_code& error);
  // Nothing has come that is not yet read.
  bool silent();

  // The orderly end of our sending, told with close_notify if what went before went out whole.
  // What is read afterwards is raw, only to be thrown away.
  void end_sending(boost::system::error_code& error);
  void cancel();
  void close();
  // A reset and no close_notify: the peer cannot take what it has got for the whole.
  void reset();

 private:
  struct Step;  // what one call of OpenSSL came to

  template <class Call>
  Step step(Call call);
  Task<Outcome> tls_write(const char* from, std::size_t size);

  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };

  Socket socket_;
  std::optional<QuietRead> plain_;
  std::unique_ptr<ssl_st, Free> ssl_;
  bool established_ = false;
  bool broken_ = false;  // the stream cannot go on, and close_notify would be a lie
  bool ended_ = false;   // end_sending() was called
};

}  // namespace tanggul::beast
