#include "app/client/http_exchange.h"

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <exception>

#include "base/bytes.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;
constexpr std::size_t kMost = 4_MiB;

std::string request_of(const Url& url, const HttpAsk& ask) {
  std::string text =
      fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\n", ask.method,
                  url.path, ask.target, url.base().substr(url.scheme.size() + 3));
  if (!ask.token.empty()) text += fmt::format("Authorization: Bearer {}\r\n", ask.token);
  if (!ask.json.empty())
    text +=
        fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", ask.json.size());
  return text + "Connection: close\r\n\r\n" + ask.json;
}

asio::awaitable<std::string> exchange(std::string host, std::string port, std::string request) {
  const auto executor = co_await asio::this_coro::executor;
  asio::ip::tcp::resolver resolver(executor);
  const auto endpoints = co_await resolver.async_resolve(host, port, asio::use_awaitable);
  asio::ip::tcp::socket socket(executor);
  co_await asio::async_connect(socket, endpoints, asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(request), asio::use_awaitable);
  std::string answer;
  boost::system::error_code ec;
  co_await asio::async_read(socket, asio::dynamic_buffer(answer, kMost),
                            asio::redirect_error(asio::use_awaitable, ec));
  if (ec && ec != asio::error::eof) throw boost::system::system_error(ec);
  co_return answer;
}

HttpAnswer parsed(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  const auto status =
      parse_decimal(std::string_view(answer).substr(std::min(kVersion.size(), answer.size()), 3));
  if (end == std::string::npos || !answer.starts_with(kVersion) || !status) {
    return {0, {}, "it does not answer as HTTP does"};
  }
  HttpAnswer out{static_cast<int>(*status), answer.substr(end + 4), {}};
  std::string_view head = std::string_view(answer).substr(0, end);
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    const std::size_t colon = std::min(line.find(':'), line.size());
    if (!iequals(line.substr(0, colon), "content-length")) continue;
    const auto length = parse_decimal(trim(line.substr(std::min(colon + 1, line.size()))));
    if (length != out.body.size()) return {0, {}, "its answer was cut short"};
  }
  return out;
}

asio::awaitable<HttpAnswer> answer_or_why(std::string host, std::string port, std::string request) {
  try {
    co_return parsed(co_await exchange(std::move(host), std::move(port), std::move(request)));
  } catch (const boost::system::system_error& e) {
    co_return HttpAnswer{0, {}, e.code().message()};
  } catch (const std::exception& e) {
    co_return HttpAnswer{0, {}, e.what()};
  }
}

}  // namespace

asio::awaitable<HttpAnswer> http_ask(Url url, HttpAsk ask, Duration limit) {
  using namespace asio::experimental::awaitable_operators;
  std::string host = url.host;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  asio::steady_timer timer(co_await asio::this_coro::executor, limit);
  auto first = co_await (answer_or_why(host, std::to_string(url.port), request_of(url, ask)) ||
                         timer.async_wait(asio::use_awaitable));
  if (auto* answer = std::get_if<HttpAnswer>(&first)) co_return std::move(*answer);
  co_return HttpAnswer{0, {}, "no answer in time"};
}

HttpAnswer http_exchange(const Url& url, const HttpAsk& ask, Duration limit) {
  asio::io_context io(1);
  HttpAnswer out;
  asio::co_spawn(io, http_ask(url, ask, limit),
                 [&out](const std::exception_ptr& failed, HttpAnswer answer) {
                   if (failed) std::rethrow_exception(failed);
                   out = std::move(answer);
                 });
  io.run();
  return out;
}

}  // namespace tanggul::app
