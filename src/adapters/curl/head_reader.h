#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "ports/origin.h"
#include "tanggul/http/message.h"

namespace tanggul::curl {

// Puts a response's head together from its lines and says how its body will end. No I/O.
class HeadReader {
 public:
  HeadReader(bool head_request, ByteCount limit) : head_request_(head_request), limit_(limit) {}

  enum class Step {
    more,
    interim,   // a head that is not the final one is whole: see take_interim()
    complete,  // the final head is whole; lines after it are trailers and ignored
    bad,       // no HTTP, contradicts itself, or over the limit
  };
  // One line with its line end. Interim heads (1xx) begin anew, but count towards the limit.
  Step line(std::string_view raw);

  bool begun() const noexcept { return bytes_ > 0; }
  bool complete() const noexcept { return complete_; }
  const http::ResponseHead& head() const noexcept { return head_; }
  ports::BodyFraming framing() const noexcept { return framing_; }
  std::optional<ByteCount> length() const noexcept { return length_; }

  http::ResponseHead take_interim() { return std::move(interim_); }
  // The head for the caller: without hop-by-hop lines, and without its length unless HEAD asked
  // for it. Call once.
  http::ResponseHead take();

 private:
  bool status_line(std::string_view line);
  bool header_line(std::string_view line);
  bool decide_framing();

  bool head_request_;
  ByteCount limit_;
  ByteCount bytes_ = 0;
  bool complete_ = false;
  bool marks_its_end_ = false;          // HTTP/2: the stream has an end of its own
  std::string last_name_, last_value_;  // not yet added: its next line may be folded into it
  http::ResponseHead head_, interim_;
  ports::BodyFraming framing_ = ports::BodyFraming::none;
  std::optional<ByteCount> length_;
};

}  // namespace tanggul::curl
