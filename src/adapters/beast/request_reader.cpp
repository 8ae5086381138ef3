#include "adapters/beast/request_reader.h"

#include <algorithm>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstring>
#include <optional>

#include "adapters/beast/arena.h"
#include "adapters/beast/quick_head.h"

namespace tanggul::beast {
namespace {

namespace bhttp = boost::beast::http;
using boost::beast::error_code;
constexpr ByteCount kMostQuick = 4_KiB;
using Message = bhttp::request_parser<bhttp::buffer_body, ArenaAllocator<char>>;

}  // namespace

struct RequestReader::Parser {
  Arena arena;
  std::optional<Message> message;
};

RequestReader::RequestReader(RequestLimits limits)
    : limits_(limits), parser_(std::make_unique<Parser>()) {}
RequestReader::~RequestReader() = default;

void RequestReader::start() {
  parser_->message.reset();
  parser_->arena.reset();
  status_ = 0;
  in_line_ = fresh_ = true;
  quick_ = false;
}

void RequestReader::start_beast() {
  Message& m = parser_->message.emplace(std::piecewise_construct, std::make_tuple(),
                                        std::make_tuple(ArenaAllocator<char>(parser_->arena)));
  m.header_limit(static_cast<std::uint32_t>(limits_.header));
  m.body_limit(limits_.body);
  m.eager(false);
}

// The head is copied, as Beast copies it: the buffer may go while the request is being answered.
bool RequestReader::try_quickly(std::string_view buffer, std::size_t& consumed) {
  constexpr std::string_view kBlankLine = "\r\n\r\n";
  const std::size_t end = buffer.find(kBlankLine);
  const std::size_t size = end + kBlankLine.size();
  if (end == buffer.npos || size > std::min<ByteCount>(kMostQuick, limits_.header)) return false;
  auto* const copy = static_cast<char*>(parser_->arena.take_within(size));
  if (copy == nullptr) return false;
  std::memcpy(copy, buffer.data(), size);
  quick_ = read_quickly({copy, size}, quick_head_) && quick_head_.target.size() <= limits_.target;
  if (quick_) consumed = size;
  return quick_;
}

RequestReader::State RequestReader::parse_head(std::string_view buffer, std::size_t& consumed) {
  if (fresh_) {
    fresh_ = false;
    if (try_quickly(buffer, consumed)) return State::done;
    start_beast();
  }
  Message& m = *parser_->message;
  error_code error;
  consumed = m.put(boost::asio::buffer(buffer.data(), buffer.size()), error);
  // The parser eats line by line, the request line first.
  in_line_ = in_line_ && consumed == 0 && buffer.find('\n') == std::string_view::npos;
  if (!error && m.is_header_done()) return check_head();
  if (!error || error == bhttp::error::need_more) {
    // Before its end the request line is all there is: a target that is over its limit already.
    if (in_line_ && buffer.size() > limits_.target + 32) return refuse(414);
    if (buffer.size() > limits_.header) return refuse(431);
    return State::need_more;
  }
  if (error == bhttp::error::header_limit) return refuse(in_line_ ? 414 : 431);
  if (error == bhttp::error::body_limit) return refuse(413);
  // A version that is none, as in a line that ends with a bare line feed, is malformed, not too
  // new.
  const bool versioned = buffer.substr(0, buffer.find("\r\n")).find('\n') == std::string_view::npos;
  if (error == bhttp::error::bad_version && versioned) return refuse(505);
  return refuse(400);
}

// What Beast lets pass and a proxy may not: each of these lets two parsers on the way disagree
// about where a request ends (RFC 9112 6.1, 6.3, 3.2).
RequestReader::State RequestReader::check_head() {
  const auto& request = parser_->message->get();
  int lengths = 0, codings = 0, hosts = 0;
  for (const auto& field : request) {
    lengths += field.name() == bhttp::field::content_length ? 1 : 0;
    hosts += field.name() == bhttp::field::host ? 1 : 0;
    if (field.name() != bhttp::field::transfer_encoding) continue;
    ++codings;
    if (!iequals(field.value(), "chunked"))
      return refuse(iequals(field.value(), "identity") ? 400 : 501);
  }
  if (lengths > 1 || codings > 1 || (lengths > 0 && codings > 0)) return refuse(400);
  if (hosts > 1 || (request.version() == 11 && hosts == 0)) return refuse(400);
  if (codings > 0 && request.version() < 11) return refuse(400);
  if (request.version() != 11 && request.version() != 10) return refuse(505);
  if (request.target().size() > limits_.target) return refuse(414);
  // TRACE would show a client what we add to its request: the service's credential.
  if (request.method() == bhttp::verb::connect || request.method() == bhttp::verb::trace)
    return refuse(405);
  if (const auto host = request.find(bhttp::field::host);
      host != request.end() && !is_authority({host->value().data(), host->value().size()}))
    return refuse(400);
  if (request.target().find('#') != std::string_view::npos) return refuse(400);
  return State::done;
}

void RequestReader::fill(http::RequestHead& head) const {
  if (quick_) {
    head = quick_head_;
    return;
  }
  const auto& request = parser_->message->get();
  const auto view = [](auto s) { return std::string_view(s.data(), s.size()); };
  head.method = view(request.method_string());
  head.target = view(request.target());
  head.minor_version = request.version() == 11 ? 1 : 0;
  head.headers.clear();
  for (const auto& field : request)
    head.headers.push_back({view(field.name_string()), view(field.value())});
}

bool RequestReader::keep_alive() const { return quick_ || parser_->message->keep_alive(); }
bool RequestReader::has_body() const {
  if (quick_) return false;
  const Message& m = *parser_->message;
  return m.chunked() || (m.content_length() && *m.content_length() > 0);
}
bool RequestReader::body_done() const { return quick_ || parser_->message->is_done(); }

bool RequestReader::expects_continue() const {
  if (quick_) return false;
  const auto& request = parser_->message->get();
  const auto at = request.find(bhttp::field::expect);
  return at != request.end() && iequals({at->value().data(), at->value().size()}, "100-continue");
}

std::optional<ByteCount> RequestReader::body_length() const {
  if (quick_) return ByteCount{0};
  const auto length = parser_->message->content_length();
  if (!length) return std::nullopt;
  return *length;
}

RequestReader::State RequestReader::parse_body(std::string_view buffer, std::size_t& consumed,
                                               char* to, std::size_t size, std::size_t& written) {
  Message& m = *parser_->message;
  auto& body = m.get().body();
  body.data = to;
  body.size = size;
  body.more = true;
  consumed = written = 0;
  error_code error;
  while (!m.is_done() && body.size > 0) {
    const auto rest = buffer.substr(consumed);
    const std::size_t n = m.put(boost::asio::buffer(rest.data(), rest.size()), error);
    consumed += n;
    if (error == bhttp::error::need_buffer || error == bhttp::error::need_more) error = {};
    if (error) break;
    if (n == 0) break;
  }
  written = size - body.size;
  body.data = nullptr;
  body.size = 0;
  if (error == bhttp::error::body_limit) return refuse(413);
  if (error) return refuse(400);
  return m.is_done() ? State::done : State::need_more;
}

}  // namespace tanggul::beast
