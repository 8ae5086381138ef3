// The receiving half of a session: heads, and bodies for whoever reads them.
#include <cstring>

#include "adapters/beast/session.h"

namespace tanggul::beast {

Session::Read Session::begin_head() {
  reader_.start();
  phase_ = begin_ < end_ ? Phase::head : Phase::idle;
  if (phase_ == Phase::idle && capacity_ > kKeptBuffer) {  // one large head is not kept for good
    give_buffer_back();
  }
  deadline_ = now_ + (phase_ == Phase::idle ? config_.idle : config_.header);
  if (draining_ && phase_ == Phase::idle) {
    if (served_) return Read::closed;
    deadline_ = now_ + kGraceForTheNew;
  }
  return look_at_head();
}

// What has come so far.
Session::Read Session::look_at_head() {
  if (begin_ == end_) return Read::more;
  if (phase_ == Phase::idle) {  // the first bytes: from now on the head has its own time
    // An empty line before a request is ignored (RFC 9112 2.2).
    while (pending().starts_with("\r\n")) begin_ += 2;
    if (begin_ == end_ || pending() == "\r") return Read::more;
    phase_ = Phase::head;
    deadline_ = now_ + config_.header;
  }
  std::size_t consumed = 0;
  const auto state = reader_.parse_head(pending(), consumed);
  begin_ += consumed;
  if (state == RequestReader::State::need_more) return Read::more;
  if (state == RequestReader::State::bad) return Read::bad;
  timed_out_ = false;  // in the end it was in time
  return Read::request;
}

// The rest of a head that has not come in one piece.
Task<Session::Read> Session::read_head() {
  for (;;) {
    const bool more = co_await fill();
    if (!more) co_return timed_out_&& phase_ == Phase::head ? Read::timed_out : Read::closed;
    const Read got = look_at_head();
    if (got != Read::more) co_return got;
  }
}

// An empty buffer of at least `size`.
void Session::take_buffer(std::size_t size) {
  begin_ = end_ = 0;
  if (capacity_ >= size) return;
  buffer_.reset(new char[size]);
  capacity_ = size;
}

// Nothing is in it.
void Session::give_buffer_back() {
  buffer_.reset();
  capacity_ = begin_ = end_ = 0;
}

// Room is made by moving what is pending to the front, then by doubling. The parser's limits bound
// it.
void Session::make_room() {
  if (begin_ == end_) take_buffer(phase_ == Phase::body ? kKeptBuffer : kFirstBuffer);
  if (end_ < capacity_) return;
  const std::size_t pending_size = end_ - begin_;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, pending_size);
  } else {
    std::unique_ptr<char[]> larger(new char[capacity_ * 2]);
    std::memcpy(larger.get(), buffer_.get(), pending_size);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  }
  begin_ = 0;
  end_ = pending_size;
}

bool Session::took(const boost::system::error_code& error, std::size_t n) {
  broken_off_ = error == asio::error::operation_aborted;
  if (error) return false;
  end_ += n;
  now_ = MonoClock::now();
  return true;
}

Task<bool> Session::fill() {
  make_room();
  // The time may have run out while bytes that had come were waiting to be looked at: expire()
  // found nothing to cancel then, and would not come again.
  if (timed_out_) co_return false;
  if (QuietRead* const plain = connection_.plain()) {
    co_await plain->begin(buffer_.get() + end_, capacity_ - end_, false);
    co_return took(plain->error(), plain->size());
  }
  const auto [error, n] = co_await connection_.tls_read(buffer_.get() + end_, capacity_ - end_);
  co_return took(error, n);
}

Task<Result<std::size_t>> Session::read_some(char* to, std::size_t size) {
  body_reading_ = true;
  auto result = co_await read_body(to, size);
  body_reading_ = false;
  // Everything has come: from now on a readable socket means that the client leaves.
  if (reader_.body_done() && phase_ == Phase::answering) watch();
  co_return result;
}

Task<Result<std::size_t>> Session::read_body(char* to, std::size_t size) {
  if (!body_touched_ && reader_.expects_continue() && begin_ == end_ &&
      call_.head.minor_version == 1 && phase_ == Phase::answering) {
    const bool told = co_await write_all("HTTP/1.1 100 Continue\r\n\r\n");
    if (!told) co_return Errc::cancelled;
  }
  body_touched_ = true;
  // While a reply is on its way already, time is the writer's.
  const bool alone = phase_ == Phase::answering;
  if (alone) phase_ = Phase::body;
  for (;;) {
    if (reader_.body_done()) co_return std::size_t{0};
    std::size_t consumed = 0, written = 0;
    const auto state = reader_.parse_body(pending(), consumed, to, size, written);
    begin_ += consumed;
    if (state == RequestReader::State::bad) {
      body_failed_ = reader_.status();
      co_return body_failed_ == 413 ? Errc::too_large : Errc::bad_input;
    }
    if (written > 0 || state == RequestReader::State::done) {
      timed_out_ = false;
      if (alone) {
        phase_ = Phase::answering;
        deadline_ = kForever;
      }
      co_return written;
    }
    if (alone) move_deadline(config_.stall);
    const bool more = co_await fill();
    if (more) continue;
    if (broken_off_ && !timed_out_) {
      // The fetch has its answer and wants no more of the body.
      if (alone) phase_ = Phase::answering;
      if (alone) deadline_ = kForever;
    } else if (timed_out_) {
      body_failed_ = 408;
    } else {
      call_.waiter->close();
    }
    co_return Errc::cancelled;
  }
}

}  // namespace tanggul::beast
