#include "app/client/once_shield.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>

#include "http/repr_digest.h"
#include "shield/once_key.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr Duration kAnswer = 10s;   // beside what was to be waited for
constexpr Duration kStoring = 60s;  // until a whole upload is checked and kept

std::string own_name() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}:{}", host, ::getpid());
}

json::object parsed(const std::string& body) {
  boost::system::error_code error;
  const json::value value = json::parse(body, error);
  const json::object* object = error ? nullptr : value.if_object();
  return object == nullptr ? json::object() : *object;
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* v = object.if_contains(key);
  if (v == nullptr) return {};
  return v->is_string() ? std::string(v->get_string()) : json::serialize(*v);
}

double number_of(const json::object& object, std::string_view key) {
  const json::value* v = object.if_contains(key);
  return v != nullptr && v->is_number() ? v->to_number<double>() : 0;
}

OnceClaim read_claim(const Transferred& answer) {
  OnceClaim out;
  const json::object told = parsed(answer.body);
  const std::string state = text_of(told, "state");
  out.by = printable(text_of(told, "by"));
  if (state == "build") {
    out.state = OnceClaim::State::build;
    out.lease = {text_of(told, "token"), text_of(told, "fence"),
                 std::max<Duration>(from_seconds(number_of(told, "ttl_seconds")), 100ms)};
  } else if (state == "building") {
    out.state = OnceClaim::State::building;
  } else if (state == "ready") {
    out.state = OnceClaim::State::ready;
  } else if (state == "failed") {
    out.state = OnceClaim::State::failed;
    out.status = std::clamp(static_cast<int>(number_of(told, "status")), 1, 255);
  } else {
    out.state = OnceClaim::State::refused;
    out.why = "its answer is not that of a shield";
  }
  return out;
}

}  // namespace

std::string told_by(const Transferred& answer) {
  const json::object problem = parsed(answer.body);
  const std::string title = text_of(problem, "title"), detail = text_of(problem, "detail");
  if (title.empty()) return answer.error.empty() ? "" : ": " + answer.error;
  return printable(fmt::format(": {} ({})", title, detail));
}

OnceShield::OnceShield(Url via, std::string key, std::string token)
    : via_(std::move(via)), key_(std::move(key)), token_(std::move(token)), who_(own_name()) {}

Transfer OnceShield::request(std::string method, std::string_view verb) const {
  Transfer out;
  out.method = std::move(method);
  out.target = shield::once_path(key_, verb);
  if (!token_.empty()) out.headers.emplace_back("Authorization", "Bearer " + token_);
  out.quiet = kAnswer;
  return out;
}

asio::awaitable<OnceClaim> OnceShield::claim(Duration wait) {
  const auto whole = std::chrono::ceil<std::chrono::seconds>(wait);
  Transfer ask = request("POST", "");
  ask.headers.emplace_back("Prefer", fmt::format("wait={}", whole.count()));
  ask.headers.emplace_back("Content-Type", "application/json");
  ask.body = json::serialize(json::object{{"who", who_}});
  ask.quiet = whole + kAnswer;
  const Transferred answer = co_await transfer(via_, std::move(ask));
  if (answer.status == 200) co_return read_claim(answer);
  OnceClaim out;
  const bool may_pass = answer.status == 0 || answer.status >= 500;
  out.state = may_pass ? OnceClaim::State::away : OnceClaim::State::refused;
  out.why = answer.status == 0 ? answer.error
                               : fmt::format("it answers {}{}", answer.status, told_by(answer));
  co_return out;
}

asio::awaitable<int> OnceShield::post(OnceLease lease, std::string verb, std::string body) {
  Transfer ask = request("POST", verb);
  ask.headers.emplace_back("Tanggul-Lease", lease.token);
  ask.headers.emplace_back("Tanggul-Fence", lease.fence);
  ask.headers.emplace_back("Content-Type", "application/json");
  ask.body = std::move(body);
  const Transferred answer = co_await transfer(via_, std::move(ask));
  co_return answer.status;
}

asio::awaitable<int> OnceShield::renew(OnceLease lease) {
  return post(std::move(lease), "renew", "");
}

asio::awaitable<int> OnceShield::fail(OnceLease lease, int status) {
  return post(std::move(lease), "fail",
              json::serialize(json::object{{"who", who_}, {"status", status}}));
}

asio::awaitable<int> OnceShield::release(OnceLease lease) {
  return post(std::move(lease), "release", "");
}

asio::awaitable<Transferred> OnceShield::upload(OnceLease lease, int file, ByteCount size,
                                                std::string sha256) {
  Transfer ask = request("PUT", "");
  ask.headers.emplace_back("Tanggul-Lease", lease.token);
  ask.headers.emplace_back("Tanggul-Fence", lease.fence);
  ask.headers.emplace_back("Repr-Digest", http::write_repr_digest(sha256));
  ask.headers.emplace_back("X-Tanggul-Built-By", who_);
  ask.file = file;
  ask.file_size = size;
  ask.quiet = kStoring;
  return transfer(via_, std::move(ask));
}

asio::awaitable<Transferred> OnceShield::download(std::function<bool(std::string_view)> sink) {
  Transfer ask = request("GET", "");
  ask.sink = std::move(sink);
  return transfer(via_, std::move(ask));
}

}  // namespace tanggul::app
