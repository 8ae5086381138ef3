#include "adapters/redis/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cerrno>
#include <cstring>

#include "async/spawn.h"
#include "base/bytes.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/backoff.h"

namespace tanggul::redis {
namespace {

using boost::system::error_code;

// Somebody has waited in vain, and so long has nothing been answered: another command could only
// wait behind.
constexpr Duration kStalled = 50ms;
// Nothing came for so long although something is owed: the connection is dead.
constexpr Duration kSilence = 2s;
constexpr Duration kGoodbye = 200ms;
constexpr std::size_t kMostUnwritten = 16 << 20;
constexpr policy::BackoffConfig kBackoff{.attempts = 0, .base = 50ms, .cap = 1s};

}  // namespace

Connection::Connection(async::Executor executor, Config config, Events events, Counter& commands)
    : executor_(executor),
      config_(std::move(config)),
      events_(std::move(events)),
      commands_(commands),
      socket_(executor),
      sweep_(executor),
      pause_(executor),
      names_(executor) {}

void Connection::Pending::complete(Answer answer) {
  if (coroutine) {
    Coroutine resumed(std::move(*coroutine));
    coroutine.reset();
    resumed(std::move(answer));
  } else if (then) {
    std::exchange(then, nullptr)(std::move(answer));
  }
}

void Connection::start() { async::spawn(executor_, "redis", run(shared_from_this())); }

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  pause_.cancel();
  names_.close();
  if (state_ != State::ready) return break_off("closed");
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  phase_ends_ = MonoClock::now() + kGoodbye;
  arm(phase_ends_);
}

void Connection::hurry() {
  if (closed_ || (state_ == State::ready && !stalled())) return;
  hopeful_ = true;
  pause_.cancel();
  if (state_ != State::ready && attempt_ends_ == kForever) return;
  hurried_ = true;
  error_code ignored;
  socket_.close(ignored);
}

Task<void> Connection::run(std::shared_ptr<Connection> self) {
  int failures = 0;
  while (!self->closed_) {
    self->why_.clear();
    self->hurried_ = false;
    const MonoTime begun = MonoClock::now();
    const bool opened = co_await self->open();
    if (!opened && self->hurried_ && !self->closed_) continue;
    if (opened) {
      self->greet();
      co_await self->read();
    }
    self->fail_all();
    if (self->closed_) break;
    if (self->hurried_) {
      self->hopeful_ = true;
      continue;
    }
    // One that breaks as soon as it stands is no better than none.
    const bool lasted = opened && MonoClock::now() - begun > kBackoff.cap;
    failures = lasted ? 0 : failures + 1;
    if (self->events_.lost) self->events_.lost(self->why_);
    self->pause_.expires_after(policy::full_jitter(kBackoff, failures - 1, thread_rng()));
    co_await self->pause_.async_wait(asio::as_tuple(async::use_task));
  }
  self->events_ = {};
  self->sweep_.cancel();
}

Task<void> Connection::read() {
  while (socket_.is_open()) {
    co_await socket_.async_wait(Socket::wait_read, asio::as_tuple(async::use_task));
    pump();
  }
}

// All that is there. Only here are bytes taken from the socket while it is read.
void Connection::pump() {
  char buffer[64 * 1024];
  while (socket_.is_open()) {
    const ssize_t n = ::recv(socket_.native_handle(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) return break_off(std::string("the connection broke: ") + std::strerror(errno));
    if (n == 0) return break_off("the connection was closed by the server");
    last_read_ = MonoClock::now();
    replies_->feed({buffer, static_cast<std::size_t>(n)});
    Reply reply;
    while (socket_.is_open()) {
      const auto next = replies_->next(reply);
      if (next == ReplyReader::Next::more) break;
      if (next == ReplyReader::Next::broken) return break_off("it does not speak as Redis does");
      take(std::move(reply));
    }
    if (static_cast<std::size_t>(n) < sizeof buffer) return;
  }
}

void Connection::take(Reply reply) {
  if (!config_.channels.empty() && reply.is(Reply::Kind::array) && greetings_ == 0)
    return take_push(reply);
  // To SUBSCRIBE nothing else is answered with an error.
  if (pending_.empty())
    return break_off(reply.error() ? printable(reply.text) : "it answers what nobody asked");
  Pending first = std::move(pending_.front());
  pending_.pop_front();
  abandoned_ -= first.abandoned ? 1 : 0;
  first.complete({Answer::Kind::reply, std::move(reply)});
}

void Connection::take_push(Reply& reply) {
  if (reply.at(0).text == "message") {
    if (events_.message) events_.message(reply.at(1).text, reply.at(2).text);
    return;
  }
  if (reply.at(0).text == "subscribe") {
    if (static_cast<std::size_t>(reply.integer(2)) == config_.channels.size()) became_ready();
    return;
  }
  if (reply.at(0).text != "pong" || pending_.empty()) return break_off("a strange message");
  pending_.pop_front();
}

void Connection::became_ready() {
  state_ = State::ready;
  phase_ends_ = kForever;
  hopeful_ = false;
  for (Early& early : std::exchange(early_, {})) {
    if (early.pending.waited_for()) send(early.command.bytes(), std::move(early.pending));
  }
  if (events_.ready) events_.ready();
}

bool Connection::refuses() const {
  if (closed_ || !config_.channels.empty()) return true;
  if (state_ != State::ready) return !hopeful_;
  if (out_.size() > kMostUnwritten) return true;
  return stalled();
}

bool Connection::stalled() const {
  return abandoned_ > 0 && MonoClock::now() - pending_.front().sent > kStalled;
}

Task<Answer> Connection::call(Encoded command, MonoTime deadline) {
  if (refuses()) co_return Answer{Answer::Kind::refused, {}};
  Answer answer =
      co_await asio::async_initiate<const asio::use_awaitable_t<async::Executor>, void(Answer)>(
          [this, deadline](Coroutine coroutine, Encoded encoded) {
            begin(std::move(encoded), deadline, std::move(coroutine));
          },
          async::use_task, std::move(command));
  co_return answer;
}

// The coroutine must not go on in here: it has not yet come to its waiting.
void Connection::begin(Encoded command, MonoTime deadline, Coroutine coroutine) {
  Pending pending{.sent = MonoClock::now(), .deadline = deadline, .coroutine = {}, .then = {}};
  pending.coroutine.emplace(std::move(coroutine));
  if (state_ == State::ready) {
    send(command.bytes(), std::move(pending));
  } else {
    early_.push_back({std::move(command), std::move(pending)});
  }
  arm(deadline);
}

bool Connection::post(const Encoded& command, Then then) {
  if (!ready() || out_.size() > kMostUnwritten) return false;
  send(command.bytes(),
       {.sent = MonoClock::now(), .deadline = kForever, .coroutine = {}, .then = std::move(then)});
  arm(MonoClock::now() + kSilence);
  return true;
}

void Connection::send(std::string_view bytes, Pending pending) {
  pending_.push_back(std::move(pending));
  commands_.add();
  put(bytes);
}

void Connection::put(std::string_view bytes) {
  while (out_.empty() && !bytes.empty() && socket_.is_open()) {
    const ssize_t n =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) return break_off(std::string("cannot write: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (bytes.empty() || !socket_.is_open()) return;
  out_.append(bytes);
  if (std::exchange(writing_, true)) return;
  async::spawn(executor_, "redis write", write(shared_from_this()));
}

Task<void> Connection::write(std::shared_ptr<Connection> self) {
  while (self->socket_.is_open() && !self->out_.empty()) {
    co_await self->socket_.async_wait(Socket::wait_write, asio::as_tuple(async::use_task));
    if (!self->socket_.is_open()) break;
    const std::string rest = std::exchange(self->out_, {});
    self->put(rest);
  }
  self->writing_ = false;
}

void Connection::break_off(const std::string& why) {
  if (why_.empty()) why_ = why;
  error_code ignored;
  socket_.close(ignored);
}

void Connection::reconnect(const std::string& why) {
  given_up_ = given_up_ || socket_.is_open();
  break_off(why);
}

// Whoever is told here or in fail_all() may call again: then there is no connection.
void Connection::lose_hope() {
  hopeful_ = false;
  for (Early& early : std::exchange(early_, {}))
    early.pending.complete({Answer::Kind::refused, {}});
}

void Connection::fail_all() {
  state_ = State::down;
  phase_ends_ = attempt_ends_ = kForever;
  out_.clear();
  abandoned_ = 0;
  bool suspect = !std::exchange(given_up_, false) && !hurried_;
  lose_hope();
  for (Pending& pending : std::exchange(pending_, {}))
    pending.complete({Answer::Kind::lost, {}, std::exchange(suspect, false)});
}

void Connection::arm(MonoTime at) {
  if (at >= armed_) return;
  armed_ = at;
  sweep_.expires_at(at);
  sweep_.async_wait([weak = weak_from_this()](error_code ec) {
    const auto self = weak.lock();
    if (!ec && self) self->sweep();
  });
}

void Connection::sweep() {
  armed_ = kForever;
  const MonoTime now = MonoClock::now();
  if (now >= phase_ends_) {
    phase_ends_ = kForever;
    break_off(closed_ ? "closed" : "no connection within a second");
    if (state_ == State::connecting) lose_hope();
  } else if (now >= attempt_ends_) {
    attempt_ends_ = kForever;
    error_code ignored;
    socket_.close(ignored);
  }
  // It may have been this process that stood still: an answer that is there is no time-out.
  if (state_ >= State::greeting && next_deadline() <= now) pump();
  end_overdue(now);
  if (!pending_.empty() && now - std::max(pending_.front().sent, last_read_) >= kSilence)
    break_off("no answer for two seconds");
  // Once it is broken run() tells all that wait, at once.
  if (socket_.is_open() || state_ == State::connecting)
    arm(std::min({next_deadline(), phase_ends_, attempt_ends_}));
}

MonoTime Connection::next_deadline() const {
  MonoTime next = kForever;
  if (!pending_.empty()) next = std::max(pending_.front().sent, last_read_) + kSilence;
  for (const Pending& p : pending_)
    if (p.waited_for()) next = std::min(next, p.deadline);
  for (const Early& e : early_)
    if (e.pending.waited_for()) next = std::min(next, e.pending.deadline);
  return next;
}

void Connection::end_overdue(MonoTime now) {
  std::vector<std::pair<Pending, Answer::Kind>> over;
  const auto take = [&](Pending& p, Answer::Kind kind) {
    if (!p.waited_for() || p.deadline > now) return;
    over.emplace_back(
        Pending{p.sent, p.deadline, std::move(p.coroutine), std::exchange(p.then, nullptr)}, kind);
    p.coroutine.reset();
    p.abandoned = true;
  };
  for (Pending& p : pending_) take(p, Answer::Kind::overdue);
  abandoned_ += over.size();
  for (Early& e : early_) take(e.pending, Answer::Kind::refused);
  // Who is told may call again: the queues are not walked any more.
  for (auto& [pending, kind] : over) pending.complete({kind, {}});
}

}  // namespace tanggul::redis
