#include "adapters/curl/upload.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <cstring>
#include <exception>

namespace tanggul::curl {

namespace asio = boost::asio;

Upload::Upload(async::WaiterPtr owner, ports::RequestBody& body)
    : owner_(std::move(owner)),
      drained_(async::Waiter::make(owner_->executor())),
      body_(body),
      length_(body.length()),
      buffer_(kBuffer, '\0') {}

void Upload::start(std::function<void()> on_ready) {
  started_ = true;
  on_ready_ = std::move(on_ready);
  const auto self = shared_from_this();
  asio::co_spawn(owner_->executor(), pull(self),
                 asio::bind_cancellation_slot(cancel_.slot(), [self](const std::exception_ptr&) {
                   self->finished_ = true;  // a throw is what a cancelled read may end with
                   if (!self->ended_ && !self->failure_) self->failure_ = Errc::cancelled;
                   if (self->on_ready_) self->on_ready_();
                   self->owner_->wake();
                 }));
}

void Upload::stop() noexcept {
  if (stopped_) return;
  stopped_ = true;
  on_ready_ = nullptr;
  drained_->wake();
  if (running()) cancel_.emit(asio::cancellation_type::terminal);
}

Upload::Taken Upload::take(char* to, std::size_t& size) {
  if (failure_) return Taken::failed;
  if (begin_ == end_) {
    size = 0;
    return ended_ ? Taken::end : Taken::wait;
  }
  size = std::min(size, end_ - begin_);
  std::memcpy(to, buffer_.data() + begin_, size);
  begin_ += size;
  taken_ += size;
  if (begin_ == end_) drained_->wake();
  return Taken::bytes;
}

bool Upload::all_taken() const noexcept {
  return length_ ? taken_ == *length_ : ended_ && begin_ == end_;
}

Task<void> Upload::pull(std::shared_ptr<Upload> self) {
  while (!self->stopped_ && !self->ended_ && !self->failure_) {
    if (self->begin_ < self->end_) {
      co_await self->drained_->wait_until(kForever);
    } else {
      co_await self->pull_into_buffer();
    }
  }
}

Task<void> Upload::pull_into_buffer() {
  const Result<std::size_t> got = co_await body_.read_some(buffer_.data(), buffer_.size());
  if (stopped_) co_return;
  accept(got);
  if (on_ready_) on_ready_();
}

void Upload::accept(const Result<std::size_t>& got) {
  if (!got) {
    failure_ = got.error().category() == errc_category() ? static_cast<Errc>(got.error().value())
                                                         : Errc::cancelled;
    return;
  }
  begin_ = 0;
  end_ = *got;
  pulled_ += *got;
  ended_ = *got == 0;
  // A body that is not as long as it says would break the framing of whatever follows it.
  if (length_ && (pulled_ > *length_ || (ended_ && pulled_ < *length_))) {
    failure_ = Errc::bad_input;
  }
}

}  // namespace tanggul::curl
