#include "session.h"

#include <sys/socket.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;
using namespace asio::experimental::awaitable_operators;
using asio::ip::tcp;

namespace {

using Request = http::request_parser<http::empty_body>;
constexpr auto kRequestTime = 10s;
constexpr auto kPatience = 3100ms;  // a little more than the query's own time
constexpr std::string_view kPath = "/products/";

asio::awaitable<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<boost::system::error_code> read(tcp::socket& socket,
                                                boost::beast::flat_buffer& buffer,
                                                Request& request) {
  boost::system::error_code failed;
  co_await http::async_read(socket, buffer, request,
                            asio::redirect_error(asio::use_awaitable, failed));
  co_return failed;
}

// Ends when the client has closed its end. One that has sent more is still there.
asio::awaitable<void> until_left(tcp::socket& socket) {
  for (;;) {
    co_await socket.async_wait(tcp::socket::wait_read, asio::use_awaitable);
    char byte = 0;
    if (::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) co_return;
    co_await pause(100ms);
  }
}

std::optional<std::string> product_of(std::string_view target) {
  if (!target.starts_with(kPath)) return std::nullopt;
  std::string_view id = target.substr(kPath.size());
  if (id.empty() || id.size() > 100 || id.find_first_of("/?%") != id.npos) return std::nullopt;
  return std::string(id);
}

// nullopt: the client has left, and nothing is to be written.
asio::awaitable<std::optional<Response>> respond(tcp::socket& socket, Products& products,
                                                 const Request::value_type& request) {
  if (request.method() != http::verb::get)
    co_return problem(http::status::method_not_allowed, "only GET");
  if (request.target() == "/metrics") co_return metrics(products.figures());
  const auto id = product_of(std::string_view(request.target().data(), request.target().size()));
  if (!id) co_return problem(http::status::not_found, "there is no such path");
  // Whichever comes first; the query belongs to neither and goes on.
  const auto first =
      co_await (products.get(*id, tanggul::MonoClock::now() + kPatience) || until_left(socket));
  if (first.index() == 1) co_return std::nullopt;
  co_return answer(std::get<0>(first));
}

asio::awaitable<void> write(tcp::socket& socket, Response response, bool keep) {
  response.keep_alive(keep);
  response.prepare_payload();
  boost::system::error_code gone;
  co_await (http::async_write(socket, response, asio::redirect_error(asio::use_awaitable, gone)) ||
            pause(kRequestTime));
}

}  // namespace

asio::awaitable<void> serve(tcp::socket socket, Products& products) {
  boost::beast::flat_buffer buffer(64 * 1024);
  for (bool keep = true; keep;) {
    Request request;
    request.header_limit(16 * 1024);
    const auto read_or_late = co_await (read(socket, buffer, request) || pause(kRequestTime));
    if (read_or_late.index() == 1) {
      if (buffer.size() > 0 || request.got_some())
        co_await write(socket, problem(http::status::request_timeout, "too slow"), false);
      co_return;
    }
    const auto failed = std::get<0>(read_or_late);
    if (failed.category() == http::make_error_code(http::error::end_of_stream).category() &&
        failed != http::error::end_of_stream && failed != http::error::partial_message) {
      co_await write(socket, problem(http::status::bad_request, "malformed"), false);
      co_return;
    }
    if (failed) co_return;
    keep = request.keep_alive();
    auto response = co_await respond(socket, products, request.get());
    if (!response) co_return;
    co_await write(socket, *std::move(response), keep);
  }
}
