#include "app/client/http_transfer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <memory>

#include "app/client/dial.h"
namespace tanggul::app {
namespace {

namespace asio = boost::asio;
using asio::use_awaitable;

constexpr std::size_t kLongestHead = 64_KiB, kLongestBody = 64_KiB, kPiece = 64_KiB;
constexpr Duration kToConnect = std::chrono::seconds(5);

// Ends an exchange that nothing is heard of any more.
struct Quiet {
  explicit Quiet(Duration longest) : most(longest) {}
  void heard() { until = MonoClock::now() + most; }

  const Duration most;
  MonoTime until = MonoClock::now() + kToConnect;
};

asio::awaitable<void> watch(const Quiet& quiet) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (MonoTime now = MonoClock::now(); now < quiet.until; now = MonoClock::now()) {
    timer.expires_after(quiet.until - now);
    co_await timer.async_wait(use_awaitable);
  }
}

std::string head_of(const Url& url, const Transfer& what) {
  std::string head =
      fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", what.method, url.path,
                  what.target, url.base().substr(url.scheme.size() + 3));
  for (const auto& [name, value] : what.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (what.method != "GET")
    head += fmt::format("Content-Length: {}\r\n",
                        what.file >= 0 ? what.file_size : ByteCount{what.body.size()});
  return head + "\r\n";
}

// An answer may come before all has been sent, and is then why no more is taken.
template <class Stream>
asio::awaitable<void> send(Stream& stream, const std::string& head, const Transfer& what,
                           Quiet& quiet) {
  boost::system::error_code error;
  co_await asio::async_write(stream, asio::buffer(head + what.body),
                             asio::redirect_error(use_awaitable, error));
  if (what.file < 0) co_return;
  const auto piece = std::make_unique<char[]>(kPiece);
  for (ByteCount at = 0; at < what.file_size && !error;) {
    const auto want = std::min<ByteCount>(kPiece, what.file_size - at);
    const ssize_t n = ::pread(what.file, piece.get(), want, static_cast<off_t>(at));
    if (n < 0) throw boost::system::system_error(errno, boost::system::system_category());
    if (n == 0) throw boost::system::system_error(asio::error::eof, "the file became shorter");
    co_await asio::async_write(stream, asio::buffer(piece.get(), static_cast<std::size_t>(n)),
                               asio::redirect_error(use_awaitable, error));
    at += static_cast<ByteCount>(n);
    quiet.heard();
  }
}

bool read_head(std::string_view head, Transferred& out) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (!head.starts_with(kVersion)) return false;
  const auto status = parse_decimal(head.substr(kVersion.size(), 3));
  if (!status) return false;
  out.status = static_cast<int>(*status);
  head.remove_prefix(std::min(head.find("\r\n") + 2, head.size()));
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      out.headers.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
  }
  return true;
}

template <class Stream>
asio::awaitable<void> receive(Stream& stream, const Transfer& what, Quiet& quiet,
                              Transferred& out) {
  std::string text;
  const std::size_t head = co_await asio::async_read_until(
      stream, asio::dynamic_buffer(text, kLongestHead), "\r\n\r\n", use_awaitable);
  quiet.heard();
  if (!read_head(std::string_view(text).substr(0, head - 2), out)) {
    out.status = 0;
    out.error = "it does not answer as HTTP does";
    co_return;
  }
  const auto length = parse_decimal(out.header("content-length"));
  const bool sinks = what.sink && out.status == 200;
  text.erase(0, head);
  ByteCount got = 0;
  boost::system::error_code error;
  for (;;) {
    got += text.size();
    if (sinks && !what.sink(text)) {
      out.error = "it could not be written";
      co_return;
    }
    if (!sinks && out.body.size() < kLongestBody) out.body += text;
    if (length && got >= *length) break;
    text.resize(kPiece);
    const std::size_t n = co_await stream.async_read_some(
        asio::buffer(text), asio::redirect_error(use_awaitable, error));
    text.resize(n);
    quiet.heard();
    if (error) break;
  }
  if (length ? got != *length : error != asio::error::eof) out.error = "its answer was cut short";
}

template <class Stream>
asio::awaitable<void> exchange(Stream& stream, const std::string& head, const Transfer& what,
                               Quiet& quiet, Transferred& out) {
  quiet.heard();
  co_await send(stream, head, what, quiet);
  quiet.heard();
  co_await receive(stream, what, quiet, out);
}

asio::awaitable<void> connect_and_exchange(const Url& url, const Transfer& what, Quiet& quiet,
                                           Transferred& out) {
  const std::string head = head_of(url, what);
  try {
    co_await dial(url, [&](auto& stream) { return exchange(stream, head, what, quiet, out); });
  } catch (const boost::system::system_error& e) {
    out.error = e.code().message();
  }
}

}  // namespace

std::string_view Transferred::header(std::string_view name) const {
  for (const auto& [n, value] : headers)
    if (iequals(n, name)) return value;
  return {};
}

asio::awaitable<Transferred> transfer(Url url, Transfer what) {
  using namespace asio::experimental::awaitable_operators;
  Transferred out;
  Quiet quiet(what.quiet);
  const auto first = co_await (connect_and_exchange(url, what, quiet, out) || watch(quiet));
  if (first.index() == 1) out.error = "no answer in time";
  if (first.index() == 1 && !what.sink) out.status = 0;
  co_return out;
}

}  // namespace tanggul::app
