#pragma once

#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "tanggul/http/message.h"

namespace tanggul::beast {

// Bounds on what a client may send.
struct RequestLimits {
  ByteCount header = 64_KiB;
  ByteCount target = 16_KiB;
  ByteCount body = 1_GiB;
};

// Parses the requests of one connection from its buffer, with Beast; a head that is usual, and
// there as a whole, by read_quickly(). No sockets, one thread.
class RequestReader {
 public:
  explicit RequestReader(RequestLimits limits);
  ~RequestReader();

  enum class State { need_more, done, bad };

  // Begins a request. `buffer` is what is there; `consumed` says how much of it was eaten.
  void start();
  State parse_head(std::string_view buffer, std::size_t& consumed);
  // When bad: what to answer (400 405 413 414 431 505 501).
  int status() const noexcept { return status_; }

  // When the head is done: the request. Views into the reader, valid until start().
  void fill(http::RequestHead& head) const;
  bool keep_alive() const;
  bool has_body() const;
  bool expects_continue() const;
  std::optional<ByteCount> body_length() const;  // absent: chunked

  // The body, piece by piece: at most `size` bytes to `to`, `written` of them; done at its end.
  State parse_body(std::string_view buffer, std::size_t& consumed, char* to, std::size_t size,
                   std::size_t& written);
  bool body_done() const;

 private:
  struct Parser;
  State refuse(int status) noexcept {
    status_ = status;
    return State::bad;
  }
  State check_head();
  bool try_quickly(std::string_view buffer, std::size_t& consumed);
  void start_beast();

  const RequestLimits limits_;
  std::unique_ptr<Parser> parser_;
  int status_ = 0;
  bool in_line_ = true;  // the request line has not ended yet
  bool fresh_ = true;    // nothing of the request has been looked at
  bool quick_ = false;   // it lies in quick_head_, Beast has not seen it
  http::RequestHead quick_head_;
};

}  // namespace tanggul::beast
