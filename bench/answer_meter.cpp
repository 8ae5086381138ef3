#include "answer_meter.h"

#include "base/bytes.h"
#include "support/wire.h"

namespace tanggul::bench {

void AnswerMeter::feed(std::string_view bytes) {
  if (head_done()) {
    body_ += bytes.size();
    return;
  }
  head_ += bytes;
  const std::size_t end = head_.find("\r\n\r\n");
  if (end == std::string::npos) return;
  const test::ParsedHead parsed = test::parse_head(std::string_view(head_).substr(0, end + 4));
  status_ = static_cast<int>(parse_decimal(parsed.second).value_or(599));
  if (const auto length = parsed.headers.find("content-length")) {
    length_ = parse_decimal(*length).value_or(UINT64_MAX);
  }
  body_ = head_.size() - (end + 4);
}

}  // namespace tanggul::bench
