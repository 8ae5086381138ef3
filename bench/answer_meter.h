#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tanggul::bench {

// Reads just enough of a response to know its status and where it ends. Bodies are counted, not
// looked at, so that the load generator costs little. Knows Content-Length only: what it measures
// sends that.
class AnswerMeter {
 public:
  // Bytes as they came; what lies beyond the end of the answer is ignored (nobody pipelines here).
  void feed(std::string_view bytes);
  // Body bytes that the kernel threw away on our behalf.
  void skip(std::uint64_t bytes) { body_ += bytes; }

  bool head_done() const { return status_ != 0; }
  bool complete() const { return head_done() && body_ >= length_; }
  int status() const { return status_; }
  std::uint64_t body() const { return body_; }
  void reset() { *this = AnswerMeter(); }

 private:
  std::string head_;
  int status_ = 0;
  std::uint64_t length_ = UINT64_MAX;  // without Content-Length it lasts until the peer closes
  std::uint64_t body_ = 0;
};

}  // namespace tanggul::bench
