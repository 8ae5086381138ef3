// The sending half of a session: heads and bodies in as few calls as the socket allows.
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "adapters/beast/refusal.h"
#include "adapters/beast/session.h"
#include "base/file_io.h"

namespace tanggul::beast {
namespace {

constexpr auto kTuple = asio::as_tuple(async::use_task);
constexpr ByteCount kMostLingered = 256_KiB;
constexpr ByteCount kRecord = 16_KiB;  // the most that a record of TLS carries (RFC 8446 5.1)
constexpr ByteCount kMostInARow = 1_MiB;

ports::BodyPiece in_memory(std::string_view bytes) {
  ports::BodyPiece piece;
  piece.memory = bytes;
  piece.size = bytes.size();
  return piece;
}

bool copy(const ports::BodyPiece& piece, ByteCount from, char* to, std::size_t size) {
  if (piece.descriptor < 0) {
    std::memcpy(to, piece.memory.data() + from, size);
    return true;
  }
  return read_at(piece.descriptor, piece.offset + from, to, size);
}

}  // namespace

std::array<std::string_view, 3> Session::in_memory_parts() const {
  return {reply_.head, reply_.lines, reply_.head_only ? std::string_view() : reply_.body};
}

ByteCount Session::size_in_memory() const {
  ByteCount size = 0;
  for (const std::string_view part : in_memory_parts()) size += part.size();
  return size;
}

// A hit goes out in one call; only what the socket does not take at once waits. The head of a file
// waits in the socket for the file's beginning, so that both leave in one segment.
bool Session::write_at_once() {
  const auto parts = in_memory_parts();
  const std::array<asio::const_buffer, 3> buffers = {asio::buffer(parts[0]), asio::buffer(parts[1]),
                                                     asio::buffer(parts[2])};
  const bool more_at_hand =
      reply_.stream && reply_.stream->ready() && reply_.length.value_or(0) > 0;
  const int flags = more_at_hand ? MSG_MORE : 0;
  boost::system::error_code error;
  const std::size_t n = connection_.socket().send(buffers, flags, error);
  if (error && error != asio::error::would_block) return false;
  if (!error) sent_ += n;
  return true;
}

// From where answer_at_once() has come to, or from the beginning.
Task<bool> Session::write_reply() {
  phase_ = Phase::writing;
  move_deadline(config_.stall);
  const bool begun = begun_ == Begun::answered && !connection_.tls();
  const ByteCount before = begun ? 0 : sent_;  // of a 100 that went ahead
  if (!begun) complete_head();
  const auto parts = in_memory_parts();
  if (connection_.tls()) {
    const std::array<ports::BodyPiece, 3> pieces = {in_memory(parts[0]), in_memory(parts[1]),
                                                    in_memory(parts[2])};
    const bool sent = co_await write_records(pieces);
    if (!sent) co_return false;
  } else {
    if (!begun && !write_at_once()) co_return false;
    ByteCount gone = sent_ - before;
    for (std::string_view part : parts) {
      const auto skip = static_cast<std::size_t>(std::min<ByteCount>(gone, part.size()));
      gone -= skip;
      if (skip == part.size()) continue;
      part.remove_prefix(skip);
      const bool done = co_await write_all(part);
      if (!done) co_return false;
    }
  }
  if (!reply_.stream) co_return true;
  const bool whole = co_await write_stream();
  if (!whole) connection_.reset();  // nobody may take what went out for the whole
  co_return whole;
}

// Before the answer, whose time and bytes begin anew.
Task<void> Session::write_interim(std::string heads) {
  phase_ = Phase::writing;
  move_deadline(config_.stall);
  const bool sent = co_await write_all(heads);
  sent_ = 0;
  phase_ = Phase::answering;
  deadline_ = kForever;
  if (!sent) call_.waiter->close();
}

// What only this connection knows of the head's end.
void Session::complete_head() {
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
}

Task<bool> Session::write_stream() {
  const bool chunked = !reply_.length && call_.head.minor_version == 1;
  for (;;) {
    const bool waits = !reply_.stream->ready();
    if (waits) deadline_ = kForever;  // waiting for the origin is not the client's fault
    if (waits) watch();
    const auto piece = co_await reply_.stream->next(call_.waiter);
    if (waits) unwatch();
    if (!piece) {
      cut_ = !call_.waiter->closed();
      co_return false;
    }
    move_deadline(config_.stall);
    if (piece->size == 0) break;
    const bool sent = co_await write_piece(*piece, chunked);
    if (!sent) co_return false;
  }
  if (!chunked) co_return true;
  const bool ended = co_await write_all("0\r\n\r\n");
  co_return ended;
}

Task<bool> Session::write_piece(const ports::BodyPiece& piece, bool chunked) {
  char text[24];
  const int length = chunked ? std::snprintf(text, sizeof text, "%llx\r\n",
                                             static_cast<unsigned long long>(piece.size))
                             : 0;
  const std::string_view before(text, static_cast<std::size_t>(length));
  const std::string_view after = chunked ? "\r\n" : "";
  if (connection_.tls()) {
    const std::array<ports::BodyPiece, 3> pieces = {in_memory(before), piece, in_memory(after)};
    const bool sent = co_await write_records(pieces);
    co_return sent;
  }
  bool ok = co_await write_all(before);
  if (!ok) co_return false;
  if (piece.descriptor < 0) {
    ok = co_await write_all(piece.memory);
  } else {
    ok = co_await send_file(piece);
  }
  if (!ok) co_return false;
  ok = co_await write_all(after);
  co_return ok;
}

Task<bool> Session::send_file(const ports::BodyPiece& piece) {
  off_t at = static_cast<off_t>(piece.offset);
  const off_t end = at + static_cast<off_t>(piece.size);
  while (at < end) {
    const ssize_t n = ::sendfile(connection_.socket().native_handle(), piece.descriptor, &at,
                                 static_cast<std::size_t>(end - at));
    if (n > 0) {
      sent_ += static_cast<ByteCount>(n);
      move_deadline(config_.stall);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) co_return false;
    const auto [error] = co_await connection_.socket().async_wait(Socket::wait_write, kTuple);
    if (error) co_return false;
  }
  co_return true;
}

// Under TLS every write is a record at least. They are filled, so that a small answer is one of
// them, and a body of any size passes through the room of one.
Task<bool> Session::write_records(std::span<const ports::BodyPiece> pieces) {
  ByteCount left = 0;
  for (const auto& piece : pieces) left += piece.size;
  const auto room = static_cast<std::size_t>(std::min(left, kRecord));
  const std::unique_ptr<char[]> record(new char[room]);
  std::size_t filled = 0;
  ByteCount in_a_row = 0;
  for (const auto& piece : pieces) {
    for (ByteCount at = 0; at < piece.size;) {
      const auto n = static_cast<std::size_t>(std::min(room - filled, piece.size - at));
      if (!copy(piece, at, record.get() + filled, n)) co_return false;
      filled += n;
      at += n;
      left -= n;
      if (filled < room && left > 0) continue;
      const bool sent = co_await write_all({record.get(), filled});
      if (!sent) co_return false;
      in_a_row += filled;
      filled = 0;
      if (in_a_row < kMostInARow) continue;
      // A reader as fast as we encrypt must not hold up the thread's other connections.
      in_a_row = 0;
      co_await asio::post(connection_.socket().get_executor(), async::use_task);
    }
  }
  co_return true;
}

Task<bool> Session::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto [error, n] = co_await connection_.write_some(bytes.data(), bytes.size());
    if (error) co_return false;
    sent_ += n;
    bytes.remove_prefix(n);
    move_deadline(config_.stall);
  }
  co_return true;
}

// An answer that the request's framing or size has earned; the connection ends with it.
Task<void> Session::refuse(int status) { return refuse(status, refusal(status)); }

Task<void> Session::refuse(int status, std::string answer) {
  phase_ = Phase::writing;
  move_deadline(config_.stall);
  timed_out_ = false;
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
  connection_.end_sending(ignored);
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
