#include "adapters/beast/session.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "adapters/beast/quick_head.h"
#include "adapters/beast/refusal.h"

namespace tanggul::beast {

Session::Session(Socket socket, const TlsContext* tls, std::shared_ptr<const ServerConfig> config,
                 ports::Handler& handler, AccessLog* log)
    : connection_(std::move(socket), tls),
      kept_config_(std::move(config)),
      config_(*kept_config_),
      handler_(handler),
      log_(log),
      reader_(config_.limits) {
  call_.waiter = async::Waiter::make(connection_.socket().get_executor());
  set_peer();
}

Session::~Session() = default;

void Session::set_peer() {
  boost::system::error_code error;
  const auto endpoint = connection_.socket().remote_endpoint(error);
  if (!error) peer_ = endpoint.address().to_string();
}

// What an idle client's connection rests in, and what a hit passes through: this frame alone, as
// long as the answer is at hand and the socket takes it.
Task<void> Session::run() {
  const auto alive = shared_from_this();
  // Its request's body is the session itself, which must not keep itself when its loop ends early.
  struct Unbound {
    ports::Call& call;
    ~Unbound() { call.body.reset(); }
  } const unbound{call_};
  if (connection_.tls()) usable_ = co_await shake_hands();
  now_ = MonoClock::now();
  while (usable_) {
    Read got = begin_head();
    if (got == Read::more && connection_.plain() != nullptr && !timed_out_) {
      make_room();
      QuietRead& read = *connection_.plain();
      co_await read.begin(buffer_.get() + end_, capacity_ - end_, silent_);
      got = took(read.error(), read.size()) ? look_at_head() : Read::closed;
    }
    silent_ = false;
    if (got == Read::more) got = co_await read_head();
    if (got == Read::closed) break;
    if (got == Read::timed_out) {
      co_await refuse(408);
      break;
    }
    if (got == Read::bad) {
      co_await refuse(reader_.status());
      break;
    }
    begin_answer();
    if (answer_at_once()) continue;
    usable_ = co_await answer();
    now_ = MonoClock::now();
  }
  co_await linger();
  connection_.close();
}

// Under the same deadline as a head. A failure has been told by an alert, if the peer could be told
// at all.
Task<bool> Session::shake_hands() {
  phase_ = Phase::handshake;
  move_deadline(config_.header);
  const auto end = co_await connection_.handshake();
  if (end == Connection::Handshake::done) co_return true;
  if (end == Connection::Handshake::plain_http) {
    co_await refuse(400, refusal_of_plain_http());
  } else {
    connection_.close();
  }
  co_return false;
}

bool Session::prepare_call() {
  reader_.fill(call_.head);
  call_.started = now_;
  call_.client = peer_;
  call_.scheme = connection_.tls() ? "https" : "http";
  call_.authority = call_.head.find("host").value_or("");
  call_.body.reset();
  // HTTP/1.0 knows none (RFC 9110 15.2). While a body is read time is the reader's.
  call_.interim = call_.head.minor_version == 1 && !reader_.has_body() ? this : nullptr;
  body_touched_ = false;
  body_failed_ = 0;
  if (!config_.trusted.empty() && config_.trusted.contains(peer_)) {
    // The last hop that we trust tells whom it speaks for; the first member is the client's own
    // word.
    const std::string forwarded = call_.head.joined("x-forwarded-for");
    const auto members = http::list_members(forwarded);
    if (!members.empty()) peer_forwarded_ = std::string(members.back());
    if (!members.empty()) call_.client = peer_forwarded_;
    if (const auto proto = call_.head.find("x-forwarded-proto"))
      if (*proto == "http" || *proto == "https") call_.scheme = *proto;
    if (const auto host = call_.head.find("x-forwarded-host"); host && is_authority(*host))
      call_.authority = *host;
  }
  return route_target();
}

// RFC 9112 3.2: origin-form as it is; absolute-form by its path, its authority standing for Host
// and never choosing an upstream; asterisk-form only with OPTIONS.
bool Session::route_target() {
  std::string_view& target = call_.head.target;
  if (target.starts_with('/')) return true;
  if (target == "*") return call_.head.method == "OPTIONS";
  const auto scheme = target.find("://");
  if (scheme == std::string_view::npos) return false;
  if (!iequals(target.substr(0, scheme), "http") && !iequals(target.substr(0, scheme), "https"))
    return false;
  const auto path = target.find_first_of("/?", scheme + 3);
  call_.authority = target.substr(scheme + 3, std::min(path, target.size()) - scheme - 3);
  if (call_.authority.empty() || !is_authority(call_.authority)) return false;
  if (path == std::string_view::npos) {
    target = "/";
  } else if (target[path] == '?') {
    absolute_target_ = "/" + std::string(target.substr(path));
    target = absolute_target_;
  } else {
    target = target.substr(path);
  }
  return true;
}

void Session::begin_answer() {
  reply_.reset();
  sent_ = 0;
  cut_ = false;
  begun_ = Begun::bad;
  if (!prepare_call()) return;
  served_ = true;
  phase_ = Phase::answering;
  deadline_ = kForever;  // the handler keeps the caller's own deadline
  if (reader_.has_body())
    call_.body = std::shared_ptr<ports::RequestBody>(shared_from_this(), this);
  if (call_.head.target == "*") {
    reply_.status = 204;
    reply_.head = "HTTP/1.1 204 No Content\r\nAllow: GET, HEAD, OPTIONS\r\n";
    reply_.head_only = true;
    begun_ = Begun::answered;
  } else {
    begun_ = handler_.answer_now(call_, reply_) ? Begun::answered : Begun::waits;
  }
}

// Nothing is waited for, so nobody can look at phase and deadline meanwhile.
bool Session::answer_at_once() {
  if (begun_ != Begun::answered || connection_.tls() || reply_.status == 0) return false;
  complete_head();
  const bool alive = write_at_once();
  if (alive && (sent_ < size_in_memory() || reply_.stream)) return false;
  usable_ = end_answer(alive);
  silent_ = usable_ && connection_.plain()->emptied();
  return true;
}

Task<bool> Session::answer() {
  if (begun_ == Begun::bad) {
    co_await refuse(400);
    co_return false;
  }
  if (begun_ == Begun::waits) {
    // Thousands may wait here; the head lies in the reader's own memory.
    if (begin_ == end_) give_buffer_back();
    if (!call_.body) watch();
    co_await handler_.answer(call_, reply_);
    unwatch();
  }
  if (body_failed_ != 0 && !call_.waiter->closed()) {
    handler_.finished(call_, reply_, 0, ports::Sent::cut);
    co_await refuse(body_failed_);
    co_return false;
  }
  bool whole = false;
  if (!call_.waiter->closed() && reply_.status != 0) whole = co_await write_reply();
  co_return end_answer(whole);
}

// Whether the connection is good for another request.
bool Session::end_answer(bool whole) {
  const ports::Sent end = whole ? ports::Sent::whole : cut_ ? ports::Sent::cut : ports::Sent::left;
  handler_.finished(call_, reply_, sent_, end);
  if (log_ != nullptr) log_->write(call_, reply_, sent_, end);
  const bool body_left = call_.body && !reader_.body_done();
  const bool goes_on = whole && reader_.keep_alive() && !body_left && !reply_.close && !draining_;
  reply_.reset();  // what it held is not kept through an idle time
  call_.body.reset();
  return goes_on;
}

void Session::watch() {
  // The end of watching cancels what waits on the socket: not while a fetch reads from it.
  if (watching_ || body_reading_) return;
  if (connection_.tls() && !look_ahead()) return;
  watching_ = true;
  const std::uint64_t mine = ++watch_;
  const auto look = [self = shared_from_this(), mine](const auto& error) {
    if (error || !self->watching_ || self->watch_ != mine) return;
    self->watching_ = false;
    if (self->connection_.tls()) return self->watch();
    char byte;
    const ssize_t n =
        ::recv(self->connection_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool gone = n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
    if (gone || (n == 0 && !self->config_.serve_half_closed)) self->call_.waiter->close();
  };
  connection_.socket().async_wait(Socket::wait_read, look);
}

// A request that is held keeps its body in the socket, where the end behind it cannot be peeked at.
void Session::look_for_end() {
  if (phase_ != Phase::answering || !call_.body || body_touched_ || watching_) return;
  pollfd socket{connection_.socket().native_handle(), POLLRDHUP, 0};
  if (::poll(&socket, 1, 0) <= 0) return;
  const bool gone = (socket.revents & (POLLERR | POLLHUP)) != 0;
  if (gone || !config_.serve_half_closed) call_.waiter->close();
}

// Under TLS the end is a record like any other and cannot be peeked at: what has come is read into
// the buffer, where a request that was sent ahead waits for its turn. True: nothing yet.
bool Session::look_ahead() {
  if (begin_ < end_) return false;
  take_buffer(kFirstBuffer);
  boost::system::error_code error;
  end_ = connection_.try_read(buffer_.get(), capacity_, error);
  if (error == asio::error::would_block) return true;
  const bool half_closed = error == asio::error::eof && config_.serve_half_closed;
  if (error && !half_closed) call_.waiter->close();
  return false;
}

void Session::unwatch() {
  if (!watching_) return;
  watching_ = false;
  connection_.cancel();
}

void Session::expire() {
  deadline_ = kForever;
  timed_out_ = true;
  switch (phase_) {
    case Phase::head:
    case Phase::body:
      connection_.cancel();
      break;  // the coroutine answers 408
    case Phase::handshake:
    case Phase::idle:
    case Phase::lingering:
    case Phase::writing:
      close();
      break;
    case Phase::answering:
      break;
  }
}

// A request that has come is still answered: one that lies in the socket is looked for here, one
// that has been read but not yet seen is not undone by the cancel.
void Session::drain() {
  draining_ = true;
  const MonoTime soon = MonoClock::now() + kGraceForTheNew;
  if (phase_ == Phase::handshake) deadline_ = std::min(deadline_, soon);
  if (phase_ != Phase::idle) return;
  // Under TLS what has come may be no request.
  if (!connection_.silent()) {
    if (connection_.tls()) deadline_ = std::min(deadline_, soon);
    return;
  }
  // Who has only just connected may be about to send; who has been served before has had its turn.
  if (served_) {
    connection_.cancel();
  } else {
    deadline_ = soon;
  }
}

// A reset where an answer is on its way: the peer cannot mistake its end for the body's.
void Session::close() {
  boost::system::error_code ignored;
  if (phase_ == Phase::writing) return connection_.reset();
  if (phase_ == Phase::idle) connection_.end_sending(ignored);
  connection_.close();
}

}  // namespace tanggul::beast
