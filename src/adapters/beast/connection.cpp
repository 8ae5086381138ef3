#include "adapters/beast/connection.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <climits>
#include <new>

#include "adapters/beast/tls_context.h"

namespace tanggul::beast {
namespace {

using boost::system::error_code;
constexpr auto kTuple = asio::as_tuple(async::use_task);

int bounded(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

}  // namespace

struct Connection::Step {
  error_code error;  // would_block: to be tried again when `wait` is over
  std::size_t size = 0;
  Socket::wait_type wait = Socket::wait_read;
};

void Connection::Free::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }

Connection::Connection(Socket socket, const TlsContext* tls) : socket_(std::move(socket)) {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  if (tls == nullptr) {
    plain_.emplace(socket_);
    return;
  }
  ssl_.reset(SSL_new(tls->native()));
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket_.native_handle()) != 1) throw std::bad_alloc();
}

Connection::~Connection() = default;

// Every call of OpenSSL that touches the socket passes here. Once the socket is closed its number
// may be another connection's.
template <class Call>
Connection::Step Connection::step(Call call) {
  if (broken_ || !socket_.is_open()) return {asio::error::bad_descriptor};
  ERR_clear_error();  // the queue is the thread's, and another connection may have left something
  const int result = call(ssl_.get());
  if (result > 0) return {{}, static_cast<std::size_t>(result)};
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {asio::error::would_block, 0, Socket::wait_read};
    case SSL_ERROR_WANT_WRITE:
      return {asio::error::would_block, 0, Socket::wait_write};
    case SSL_ERROR_ZERO_RETURN:
      return {asio::error::eof};
    default:
      ERR_clear_error();
      broken_ = true;
      return {asio::error::connection_reset};
  }
}

Task<Connection::Handshake> Connection::handshake() {
  const auto [unready] = co_await socket_.async_wait(Socket::wait_read, kTuple);
  if (unready || !socket_.is_open()) co_return Handshake::failed;
  // TLS begins with 0x16 (RFC 8446 5.1), a method of HTTP with a capital letter.
  char first = 0;
  if (::recv(socket_.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT) == 1 && first >= 'A' &&
      first <= 'Z') {
    ssl_.reset();
    plain_.emplace(socket_);
    co_return Handshake::plain_http;
  }
  for (;;) {
    const Step got = step(SSL_accept);
    established_ = !got.error;
    if (established_) co_return Handshake::done;
    if (got.error != asio::error::would_block) co_return Handshake::failed;
    const auto [stopped] = co_await socket_.async_wait(got.wait, kTuple);
    if (stopped) co_return Handshake::failed;
  }
}

Task<Connection::Outcome> Connection::write_some(const char* from, std::size_t size) {
  if (!ssl_) return socket_.async_write_some(asio::buffer(from, size), kTuple);
  return tls_write(from, size);
}

Task<Connection::Outcome> Connection::tls_read(char* to, std::size_t size) {
  while (!ended_) {
    const Step got = step([&](SSL* ssl) { return SSL_read(ssl, to, bounded(size)); });
    if (got.error != asio::error::would_block) co_return Outcome{got.error, got.size};
    const auto [stopped] = co_await socket_.async_wait(got.wait, kTuple);
    if (stopped) co_return Outcome{stopped, 0};
  }
  co_return Outcome{asio::error::operation_aborted, 0};
}

// A write that has begun is to be tried with the same bytes until it is through (SSL_write(3)). One
// that is given up leaves half a record on its way.
Task<Connection::Outcome> Connection::tls_write(const char* from, std::size_t size) {
  for (;;) {
    const Step got = step([&](SSL* ssl) { return SSL_write(ssl, from, bounded(size)); });
    if (got.error != asio::error::would_block) co_return Outcome{got.error, got.size};
    const auto [stopped] = co_await socket_.async_wait(got.wait, kTuple);
    if (stopped) {
      broken_ = true;
      co_return Outcome{stopped, 0};
    }
  }
}

std::size_t Connection::try_read(char* to, std::size_t size, error_code& error) {
  const Step got = step([&](SSL* ssl) { return SSL_read(ssl, to, bounded(size)); });
  error = got.error;
  return got.size;
}

bool Connection::silent() {
  if (ssl_ && SSL_has_pending(ssl_.get()) == 1) return false;
  char byte;
  return ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

void Connection::end_sending(error_code& error) {
  if (established_ && !ended_) step([](SSL* ssl) { return SSL_shutdown(ssl); });
  ended_ = true;
  if (!plain_) plain_.emplace(socket_);
  socket_.shutdown(Socket::shutdown_send, error);
}

void Connection::cancel() {
  error_code ignored;
  socket_.cancel(ignored);
}

void Connection::close() {
  error_code ignored;
  socket_.close(ignored);
}

void Connection::reset() {
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  socket_.close(ignored);
}

}  // namespace tanggul::beast
