#include "app/client/event_stream.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/ssl/impl/src.hpp>  // nobody else here uses it
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include "app/client/dial.h"
#include "base/bytes.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
constexpr auto kLongestQuiet = std::chrono::seconds(45);  // it says something every 15 s
constexpr std::size_t kMost = 64_KiB;  // of a head, an event, or an answer that is no stream

// The data of each whole event in `text`, which is left with what follows the last.
void take_events(std::string& text, const std::function<void(std::string_view)>& each) {
  for (auto end = text.find("\n\n"); end != std::string::npos; end = text.find("\n\n")) {
    std::string_view event = std::string_view(text).substr(0, end);
    while (!event.empty()) {
      const std::string_view line = event.substr(0, event.find('\n'));
      event.remove_prefix(std::min(line.size() + 1, event.size()));
      if (line.starts_with("data:")) each(trim(line.substr(5)));
    }
    text.erase(0, end + 2);
  }
}

template <class Stream>
asio::awaitable<void> exchange(Stream& stream, const std::string& request,
                               const std::function<void(std::string_view)>& each, StreamEnd& end) {
  co_await asio::async_write(stream, asio::buffer(request), use_awaitable);
  std::string text;
  const std::size_t head = co_await asio::async_read_until(
      stream, asio::dynamic_buffer(text, kMost), "\r\n\r\n", use_awaitable);
  const auto status =
      parse_decimal(std::string_view(text).substr(std::min<std::size_t>(9, head), 3));
  if (!text.starts_with("HTTP/1.") || !status) {
    end.error = "it does not answer as HTTP does";
    co_return;
  }
  end.status = static_cast<int>(*status);
  text.erase(0, head);
  // A peer that has vanished without a word sends no comments either.
  const auto alive = std::make_shared<bool>(true);
  asio::steady_timer quiet(co_await asio::this_coro::executor);
  bool timed_out = false;
  const auto on_quiet = [&, alive](const boost::system::error_code& moved) {
    if (moved || !*alive) return;
    timed_out = true;
    boost::system::error_code ignored;
    stream.lowest_layer().close(ignored);
  };
  struct Ended {
    std::shared_ptr<bool> alive;
    ~Ended() { *alive = false; }
  } const ended{alive};
  for (;;) {
    quiet.expires_after(kLongestQuiet);
    quiet.async_wait(on_quiet);
    if (end.status == 200) take_events(text, each);
    if (text.size() >= kMost) {
      end.error = "an event is too large";
      co_return;
    }
    char piece[4096];
    boost::system::error_code error;
    const std::size_t n = co_await stream.async_read_some(
        asio::buffer(piece), asio::redirect_error(use_awaitable, error));
    text.append(piece, n);
    if (!error) continue;
    if (timed_out) {
      end.error = "nothing was heard of it";
    } else if (error != asio::error::eof && error != asio::ssl::error::stream_truncated)
      end.error = error.message();
    if (end.status != 200) end.body = text;
    co_return;
  }
}

}  // namespace

asio::awaitable<StreamEnd> read_events(Url url, std::string target,
                                       std::function<void(std::string_view data)> each) {
  const std::string request =
      fmt::format("GET {}{} HTTP/1.0\r\nHost: {}\r\nAccept: text/event-stream\r\n\r\n", url.path,
                  target, url.base().substr(url.scheme.size() + 3));
  StreamEnd end;
  try {
    co_await dial(url, [&](auto& stream) { return exchange(stream, request, each, end); });
  } catch (const boost::system::system_error& e) {
    end.error = e.code().message();
  }
  co_return end;
}

}  // namespace tanggul::app
