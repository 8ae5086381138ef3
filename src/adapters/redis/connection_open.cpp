#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/write.hpp>

#include "adapters/redis/connection.h"
#include "adapters/redis/script.h"
#include "adapters/redis/sentinel.h"
#include "base/bytes.h"

namespace tanggul::redis {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr Duration kPhase = 1s;  // for each host: name, connection and greeting together

Encoded encoded(std::initializer_list<std::string_view> words) {
  return Encoded({words.begin(), words.size()});
}

std::string in_words(const RedisAddress::Host& host) {
  const bool v6 = host.name.find(':') != std::string::npos;
  return printable(v6 ? "[" + host.name + "]:" + host.port : host.name + ":" + host.port);
}

// A name of a connection has no blanks.
std::string name_without_blanks(std::string name) {
  for (char& c : name)
    if (c <= ' ' || c > '~') c = '_';
  return name;
}

}  // namespace

// The socket is connected to the server then, and nothing has been said.
Task<bool> Connection::open() {
  state_ = State::connecting;
  if (config_.address.hosts.empty()) {
    why_ = "no host is known";
    co_return false;
  }
  RedisAddress::Host server = config_.address.hosts.front();
  if (!config_.address.master.empty()) {
    const auto master = co_await ask_sentinels();
    if (!master) co_return false;
    server = *master;
  }
  const bool connected = co_await connect(server);
  if (!connected) co_return false;
  co_return true;
}

Task<bool> Connection::connect(RedisAddress::Host host) {
  error_code ignored, no_literal;
  socket_.close(ignored);
  const MonoTime ends = MonoClock::now() + kPhase;
  phase_ends_ = ends;
  arm(ends);
  Names::Found found;
  const auto literal = asio::ip::make_address(host.name, no_literal);
  if (no_literal) {
    found = co_await names_.find(host.name, host.port, ends);
  } else {
    const auto port = static_cast<std::uint16_t>(parse_decimal(host.port).value_or(0));
    found.endpoints.emplace_back(literal, port);
  }
  std::string why = found.why;
  // One that does not answer leaves time for the next.
  for (std::size_t left = found.endpoints.size(); left > 0; --left) {
    const MonoTime now = MonoClock::now();
    if (closed_ || now >= ends) break;
    attempt_ends_ = now + (ends - now) / static_cast<Duration::rep>(left);
    arm(attempt_ends_);
    const tcp::endpoint endpoint = found.endpoints[found.endpoints.size() - left];
    const bool connected = co_await try_one(endpoint, why);
    attempt_ends_ = kForever;
    if (connected) co_return true;
  }
  if (why_.empty() || why_.starts_with("no connection")) {
    why_ = "cannot connect to " + in_words(host) + ": " +
           (MonoClock::now() >= ends ? "timed out" : why);
  }
  socket_.close(ignored);
  co_return false;
}

Task<bool> Connection::try_one(tcp::endpoint endpoint, std::string& why) {
  error_code ec;
  socket_.close(ec);
  socket_.open(endpoint.protocol(), ec);
  if (!ec) {
    auto [failure] = co_await socket_.async_connect(endpoint, asio::as_tuple(async::use_task));
    ec = failure;
  }
  if (!ec && socket_.is_open() && !closed_) {
    socket_.set_option(tcp::no_delay(true), ec);
    co_return true;
  }
  why = !ec || ec == asio::error::operation_aborted ? "timed out" : ec.message();
  co_return false;
}

// In turn, until one knows the master.
Task<std::optional<RedisAddress::Host>> Connection::ask_sentinels() {
  const std::string& name = config_.address.master;
  std::string why;
  for (const RedisAddress::Host& sentinel : config_.address.hosts) {
    if (closed_) break;
    why_.clear();
    const bool connected = co_await connect(sentinel);
    if (connected) {
      Encoded ask = encoded({"SENTINEL", "get-master-addr-by-name", name});
      auto reply = co_await exchange(std::move(ask));
      auto master = reply ? master_in(*reply) : std::nullopt;
      if (master) co_return master;
      why_ = "the sentinel at " + in_words(sentinel) +
             (reply && reply->error() ? " says " + printable(reply->text)
              : reply                 ? " does not know of a master " + printable(name)
                                      : " does not answer");
    }
    why = why_;
  }
  why_ = why;
  co_return std::nullopt;
}

// One command on a socket that nothing else is said on.
Task<std::optional<Reply>> Connection::exchange(Encoded command) {
  auto [ec, n] = co_await asio::async_write(
      socket_, asio::buffer(command.bytes().data(), command.bytes().size()),
      asio::as_tuple(async::use_task));
  ReplyReader reader;
  char buffer[4096];
  while (!ec && n > 0) {
    auto [read_ec, size] =
        co_await socket_.async_read_some(asio::buffer(buffer), asio::as_tuple(async::use_task));
    if (read_ec) break;
    reader.feed({buffer, size});
    Reply reply;
    const auto next = reader.next(reply);
    if (next == ReplyReader::Next::reply) co_return reply;
    if (next == ReplyReader::Next::broken) break;
  }
  co_return std::nullopt;
}

// All at once; the connection is ready with the last answer.
void Connection::greet() {
  state_ = State::greeting;
  replies_.emplace();
  last_read_ = MonoClock::now();
  const RedisAddress& to = config_.address;
  const auto say = [this](const Encoded& command, bool needed) {
    ++greetings_;
    Then then = [this, needed](Answer answer) { greeted(needed, std::move(answer)); };
    send(
        command.bytes(),
        {.sent = MonoClock::now(), .deadline = kForever, .coroutine = {}, .then = std::move(then)});
  };
  greetings_ = 0;
  if (!to.user.empty())
    say(encoded({"AUTH", to.user, to.password}), true);
  else if (!to.password.empty())
    say(encoded({"AUTH", to.password}), true);
  say(encoded({"CLIENT", "SETNAME", name_without_blanks(config_.name)}), false);
  if (to.database != 0) say(encoded({"SELECT", std::to_string(to.database)}), true);
  if (!to.master.empty()) say(encoded({"ROLE"}), true);
  // So that what is sent first is not done last, since it has to be sent again whole.
  if (config_.channels.empty())
    for (const Script* script : scripts::all())
      say(encoded({"SCRIPT", "LOAD", script->source}), false);
  say(encoded({"PING"}), true);
}

void Connection::greeted(bool needed, Answer answer) {
  if (answer.kind != Answer::Kind::reply) return;  // broken: why is known
  --greetings_;
  if (needed && answer.reply.error()) return break_off(printable(answer.reply.text));
  if (!config_.address.master.empty() && answer.reply.is(Reply::Kind::array) &&
      !is_master(answer.reply))
    return break_off("what the sentinels call the master is none");
  if (greetings_ > 0 || !socket_.is_open()) return;
  if (config_.channels.empty()) return became_ready();
  std::vector<std::string_view> words{"SUBSCRIBE"};
  words.insert(words.end(), config_.channels.begin(), config_.channels.end());
  commands_.add();
  put(Encoded(words).bytes());
}

}  // namespace tanggul::redis
