#include "adapters/curl/head_reader.h"

#include <utility>

namespace tanggul::curl {
namespace {

std::string_view without_line_end(std::string_view raw) {
  if (raw.ends_with('\n')) raw.remove_suffix(1);
  if (raw.ends_with('\r')) raw.remove_suffix(1);
  return raw;
}

}  // namespace

HeadReader::Step HeadReader::line(std::string_view raw) {
  if (complete_) return Step::more;
  bytes_ += raw.size();
  if (bytes_ > limit_) return Step::bad;
  const std::string_view line = without_line_end(raw);
  if (head_.status == 0) return status_line(line) ? Step::more : Step::bad;
  if (!line.empty()) return header_line(line) ? Step::more : Step::bad;
  if (!last_name_.empty()) head_.headers.add(last_name_, trim(last_value_));
  last_name_.clear();
  if (head_.status == 101) return Step::bad;  // nobody asked to switch protocols
  if (head_.status < 200) {                   // interim, RFC 9110 15.2
    interim_ = std::exchange(head_, {});
    return interim_.status == 100 ? Step::more : Step::interim;
  }
  if (!decide_framing()) return Step::bad;
  complete_ = true;
  return Step::complete;
}

bool HeadReader::status_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (!line.starts_with("HTTP/") || space == line.npos) return false;
  marks_its_end_ = line.substr(5, space - 5) == "2";
  const auto status = parse_decimal(line.substr(space + 1, 3));
  if (!status || *status < 100 || *status > 999) return false;
  head_.status = static_cast<int>(*status);
  if (line.size() > space + 5) head_.reason = line.substr(space + 5);
  return true;
}

bool HeadReader::header_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {  // obs-fold, RFC 9112 5.2
    if (last_name_.empty()) return false;
    last_value_ += ' ';
    last_value_ += trim(line);
    return true;
  }
  if (!last_name_.empty()) head_.headers.add(last_name_, trim(last_value_));
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0) return false;
  last_name_ = line.substr(0, colon);
  last_value_ = line.substr(colon + 1);
  return true;
}

// RFC 9112 6.3.
bool HeadReader::decide_framing() {
  for (const http::Header& h : head_.headers) {
    if (!iequals(h.name, "content-length")) continue;
    const auto n = parse_decimal(h.value);
    if (!n || (length_ && *length_ != *n)) return false;
    length_ = n;
  }
  const bool coded = head_.headers.has("transfer-encoding");
  if (coded) length_.reset();
  if (head_request_ || head_.status == 204 || head_.status == 304) {
    framing_ = ports::BodyFraming::none;
    length_.reset();
  } else if (coded || (marks_its_end_ && !length_)) {
    framing_ = ports::BodyFraming::chunked;
  } else {
    framing_ = length_ ? ports::BodyFraming::length : ports::BodyFraming::until_close;
  }
  return true;
}

http::ResponseHead HeadReader::take() {
  http::strip_hop_by_hop(head_.headers);
  if (!head_request_) head_.headers.remove("content-length");
  return std::move(head_);
}

}  // namespace tanggul::curl
