#include "support/wire.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <charconv>

#include "async/timer.h"
#include "base/bytes.h"

namespace tanggul::test {
namespace {

constexpr std::size_t kReadSize = 16 * 1024;
constexpr std::size_t kMaxHead = 4 << 20;

}  // namespace

Task<error_code> Wire::fill() {
  const std::size_t want =
      read_rate ? std::clamp<std::size_t>(read_rate / 20, 1, kReadSize) : kReadSize;
  const std::size_t old = in_.size();
  in_.resize(old + want);
  const auto [ec, n] = co_await socket.async_read_some(asio::buffer(in_.data() + old, want),
                                                       asio::as_tuple(async::use_task));
  in_.resize(old + n);
  if (!ec && read_rate) {
    async::Timer timer(socket.get_executor(),
                       from_seconds(static_cast<double>(n) / static_cast<double>(read_rate)));
    co_await timer.async_wait(asio::as_tuple(async::use_task));
  }
  co_return ec;
}

Task<error_code> Wire::read_head(std::string& head) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = in_.find("\r\n\r\n", searched > 3 ? searched - 3 : 0);
    if (end != std::string::npos) {
      head = in_.substr(0, end + 4);
      in_.erase(0, end + 4);
      co_return error_code();
    }
    searched = in_.size();
    if (searched > kMaxHead) co_return asio::error::message_size;
    if (const error_code ec = co_await fill()) co_return ec;
  }
}

Task<error_code> Wire::read_exactly(std::uint64_t size, const Bytes& to) {
  while (size > 0) {
    if (in_.empty()) {
      if (const error_code ec = co_await fill()) co_return ec;
    }
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(size, in_.size()));
    to(std::string_view(in_).substr(0, n));
    in_.erase(0, n);
    size -= n;
  }
  co_return error_code();
}

Task<error_code> Wire::read_line(std::string& line) {
  std::size_t end;
  while ((end = in_.find("\r\n")) == std::string::npos) {
    if (in_.size() > kMaxHead) co_return asio::error::message_size;
    if (const error_code ec = co_await fill()) co_return ec;
  }
  line = in_.substr(0, end);
  in_.erase(0, end + 2);
  co_return error_code();
}

Task<error_code> Wire::read_chunked(const Bytes& to) {
  std::string line;
  for (;;) {
    if (const error_code ec = co_await read_line(line)) co_return ec;
    std::uint64_t size = 0;
    const auto [end, bad] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    if (bad != std::errc() || end == line.data()) co_return asio::error::invalid_argument;
    if (size == 0) break;
    if (const error_code ec = co_await read_exactly(size, to)) co_return ec;
    if (const error_code ec = co_await read_line(line)) co_return ec;
    if (!line.empty()) co_return asio::error::invalid_argument;
  }
  do {  // trailers, to the blank line
    if (const error_code ec = co_await read_line(line)) co_return ec;
  } while (!line.empty());
  co_return error_code();
}

Task<error_code> Wire::read_to_end(const Bytes& to) {
  for (;;) {
    to(in_);
    in_.clear();
    const error_code ec = co_await fill();
    if (ec == asio::error::eof) co_return error_code();
    if (ec) co_return ec;
  }
}

Task<error_code> Wire::write(std::string_view bytes) {
  const auto [ec, n] = co_await asio::async_write(socket, asio::buffer(bytes.data(), bytes.size()),
                                                  asio::as_tuple(async::use_task));
  co_return ec;
}

Task<error_code> Wire::pause(Duration d) {
  if (d <= Duration::zero()) co_return error_code();
  bool over = false;
  async::Timer timer(socket.get_executor(), d);
  timer.async_wait([this, &over](error_code ec) {
    if (ec) return;
    over = true;
    error_code ignored;
    socket.cancel(ignored);
  });
  // Reading is how a peer that leaves is seen; what it pipelines meanwhile is kept.
  const std::uint64_t rate = std::exchange(read_rate, 0);
  error_code ec;
  while (!over && !(ec = co_await fill())) {
  }
  read_rate = rate;
  if (over) co_return error_code();
  // The handler of a timer that is already due still refers to this frame: let it run first.
  if (timer.cancel() == 0) {
    while (!over) co_await asio::post(socket.get_executor(), async::use_task);
  }
  co_return ec;
}

void Wire::close() {
  error_code ignored;
  socket.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket.close(ignored);
}

void Wire::reset() {
  error_code ignored;
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

ParsedHead parse_head(std::string_view head) {
  ParsedHead out;
  const std::size_t eol = head.find("\r\n");
  std::string_view start = head.substr(0, eol);
  const std::size_t a = start.find(' ');
  const std::size_t b = a == std::string_view::npos ? a : start.find(' ', a + 1);
  out.first = start.substr(0, a);
  if (a != std::string_view::npos) out.second = start.substr(a + 1, b == a ? b : b - a - 1);
  if (b != std::string_view::npos) out.third = start.substr(b + 1);
  head.remove_prefix(eol == std::string_view::npos ? head.size() : eol + 2);
  while (!head.empty() && !head.starts_with("\r\n")) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      out.headers.add(line.substr(0, colon), trim(line.substr(colon + 1)));
    }
    head.remove_prefix(std::min(end + 2, head.size()));
  }
  return out;
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tanggul::test
