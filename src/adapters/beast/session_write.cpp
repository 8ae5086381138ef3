// The sending half of a session: heads and bodies in as few calls as the socket allows.
#include <sys/sendfile.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <cerrno>
#include <cstdio>

#include "adapters/beast/refusal.h"
#include "adapters/beast/session.h"

namespace tanggul::beast {
namespace {

constexpr auto kTuple = asio::as_tuple(async::use_task);
constexpr ByteCount kMostLingered = 256_KiB;

}  // namespace

Task<bool> Session::write_reply() {
  phase_ = Phase::writing;
  move_deadline(config_.stall);
  if (call_.head.method == "HEAD") reply_.head_only = true;  // whoever has made the answer
  const bool chunked = reply_.stream && !reply_.length && !reply_.head_only;
  const bool until_close = chunked && call_.head.minor_version == 0;
  const bool body_left = call_.body && !reader_.body_done();
  if (!reader_.keep_alive() || until_close || draining_ || body_left) reply_.close = true;
  if (chunked && !until_close) reply_.lines += "Transfer-Encoding: chunked\r\n";
  if (reply_.close) {
    reply_.lines += "Connection: close\r\n";
  } else if (call_.head.minor_version == 0) {
    reply_.lines += "Connection: keep-alive\r\n";
  }
  reply_.lines += "\r\n";
  const std::array<asio::const_buffer, 3> parts = {
      asio::buffer(reply_.head), asio::buffer(reply_.lines),
      reply_.head_only ? asio::const_buffer() : asio::buffer(reply_.body)};
  // A hit goes out in one call; only what the socket does not take at once waits.
  boost::system::error_code error;
  std::size_t n = socket_.write_some(parts, error);
  if (error == asio::error::would_block) {
    n = 0;
    error = {};
  }
  if (error) co_return false;
  sent_ += n;
  std::size_t before = 0;
  for (const auto& part : parts) {
    if (n < before + part.size()) {
      const std::size_t skip = n > before ? n - before : 0;
      const std::string_view rest(static_cast<const char*>(part.data()) + skip, part.size() - skip);
      const bool done = co_await write_all(rest);
      if (!done) co_return false;
    }
    before += part.size();
  }
  if (!reply_.stream) co_return true;
  const bool whole = co_await write_stream();
  if (!whole) reset();  // nobody may take what went out for the whole
  co_return whole;
}

Task<bool> Session::write_stream() {
  const bool chunked = !reply_.length && call_.head.minor_version == 1;
  for (;;) {
    deadline_ = kForever;  // waiting for the origin is not the client's fault
    watch();
    const auto piece = co_await reply_.stream->next(call_.waiter);
    unwatch();
    if (!piece) {
      cut_ = !call_.waiter->closed();
      co_return false;
    }
    move_deadline(config_.stall);
    if (piece->size == 0) break;
    if (chunked) {
      char size[24];
      const int length = std::snprintf(size, sizeof size, "%llx\r\n",
                                       static_cast<unsigned long long>(piece->size));
      const std::string_view line(size, static_cast<std::size_t>(length));
      const bool ok = co_await write_all(line);
      if (!ok) co_return false;
    }
    const bool sent = co_await write_piece(*piece);
    if (!sent) co_return false;
    if (chunked) {
      const bool ok = co_await write_all("\r\n");
      if (!ok) co_return false;
    }
  }
  if (!chunked) co_return true;
  const bool ended = co_await write_all("0\r\n\r\n");
  co_return ended;
}

Task<bool> Session::write_piece(const ports::BodyPiece& piece) {
  if (piece.descriptor < 0) {
    const bool ok = co_await write_all(piece.memory);
    co_return ok;
  }
  off_t at = static_cast<off_t>(piece.offset);
  const off_t end = at + static_cast<off_t>(piece.size);
  while (at < end) {
    const ssize_t n = ::sendfile(socket_.native_handle(), piece.descriptor, &at,
                                 static_cast<std::size_t>(end - at));
    if (n > 0) {
      sent_ += static_cast<ByteCount>(n);
      move_deadline(config_.stall);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) co_return false;
    const auto [error] = co_await socket_.async_wait(Socket::wait_write, kTuple);
    if (error) co_return false;
  }
  co_return true;
}

Task<bool> Session::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto [error, n] =
        co_await socket_.async_write_some(asio::buffer(bytes.data(), bytes.size()), kTuple);
    if (error) co_return false;
    sent_ += n;
    bytes.remove_prefix(n);
    move_deadline(config_.stall);
  }
  co_return true;
}

// An answer that the request's framing or size has earned; the connection ends with it.
Task<void> Session::refuse(int status) {
  phase_ = Phase::writing;
  move_deadline(config_.stall);
  timed_out_ = false;
  const std::string answer = refusal(status);
  call_.started = call_.started == MonoTime{} ? MonoClock::now() : call_.started;
  const bool sent = co_await write_all(answer);
  reply_.reset();
  reply_.status = status;
  reply_.result = "error";
  if (log_ != nullptr) {
    call_.client = peer_;
    call_.head.method = call_.head.target = "-";
    call_.started = MonoClock::now();
    log_->write(call_, reply_, sent_, sent ? ports::Sent::whole : ports::Sent::left);
  }
}

// The peer may still be sending: closing at once would answer that with a reset, which could
// overtake our last words.
Task<void> Session::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  // A fetch that still reads the request's body is ended by the close.
  if (ignored || timed_out_ || body_reading_) co_return;
  phase_ = Phase::lingering;
  deadline_ = MonoClock::now() + 2s;
  for (ByteCount swallowed = 0; swallowed < kMostLingered;) {
    begin_ = end_ = 0;
    const bool more = co_await fill();
    if (!more) co_return;
    swallowed += end_;
  }
}

}  // namespace tanggul::beast
