#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/codec.h"
#include "adapters/redis/names.h"
#include "adapters/redis/redis_cluster.h"
#include "async/task.h"
#include "async/timer.h"

namespace tanggul::redis {

namespace asio = boost::asio;

// What became of one command.
struct Answer {
  enum class Kind {
    reply,
    refused,  // not sent: there is no connection, or it does not answer at the moment
    overdue,  // sent, and perhaps done
    lost,     // sent, and perhaps done: the connection broke
  };
  Kind kind = Kind::lost;
  Reply reply;
  // Of what was lost: the one whose answer was due, so that it may be what broke the connection.
  bool suspect = false;
};

// One connection to Redis that is made again whenever it breaks, until close(). Commands are
// written as they come and answered in their order; one that nobody waits for any more keeps its
// place, so that no answer goes to another. One timer for all deadlines. One thread; held by its
// own coroutine until close().
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Config {
    RedisAddress address;
    std::string name;                   // CLIENT SETNAME
    std::vector<std::string> channels;  // subscribed to; then it takes no commands
  };
  struct Events {
    std::function<void()> ready;
    std::function<void(const std::string& why)> lost;  // or not come to be
    std::function<void(std::string_view channel, std::string_view message)> message;
  };

  Connection(async::Executor executor, Config config, Events events, Counter& commands);

  void start();
  // What has been written is still read by Redis; the answers are waited for a moment.
  void close();

  bool ready() const { return state_ == State::ready && !closed_; }
  Task<Answer> call(Encoded command, MonoTime deadline);
  // Nobody waits: `then` hears of it, never in here. Refused: false, and `then` is not called.
  using Then = std::function<void(Answer)>;
  bool post(const Encoded& command, Then then);
  // Somebody else has just reached the server. What runs here and gets no answer, a try or a
  // connection, ends for a new try now, without a pause; until that has failed calls wait for it.
  void hurry();
  // This server cannot serve: look for another, or the same in another state.
  void reconnect(const std::string& why);

 private:
  enum class State { down, connecting, greeting, ready };
  using Socket = asio::basic_stream_socket<asio::ip::tcp, async::Executor>;
  using Coroutine =
      asio::async_result<asio::use_awaitable_t<async::Executor>, void(Answer)>::handler_type;
  struct Pending {
    MonoTime sent, deadline;
    std::optional<Coroutine> coroutine;
    Then then;
    bool abandoned = false;  // somebody waited in vain
    bool waited_for() const { return coroutine.has_value() || then != nullptr; }
    void complete(Answer answer);
  };
  struct Early {  // called before the connection stands
    Encoded command;
    Pending pending;
  };

  static Task<void> run(std::shared_ptr<Connection> self);
  Task<void> read();
  static Task<void> write(std::shared_ptr<Connection> self);
  bool refuses() const;
  bool stalled() const;
  void begin(Encoded command, MonoTime deadline, Coroutine coroutine);
  void send(std::string_view bytes, Pending pending);
  void put(std::string_view bytes);
  void pump();
  void take(Reply reply);
  void take_push(Reply& reply);
  void became_ready();
  void lose_hope();
  void fail_all();
  void break_off(const std::string& why);
  void arm(MonoTime at);
  void sweep();
  void end_overdue(MonoTime now);
  MonoTime next_deadline() const;

  // connection_open.cpp
  Task<bool> open();
  Task<bool> connect(RedisAddress::Host host);
  Task<bool> try_one(asio::ip::tcp::endpoint endpoint, std::string& why);
  Task<std::optional<RedisAddress::Host>> ask_sentinels();
  Task<std::optional<Reply>> exchange(Encoded command);
  void greet();
  void greeted(bool needed, Answer answer);

  async::Executor executor_;
  const Config config_;
  Events events_;
  Counter& commands_;
  Socket socket_;
  async::Timer sweep_, pause_;
  Names names_;

  State state_ = State::down;
  bool closed_ = false;
  bool hopeful_ = true;               // nothing speaks against the next try yet: calls wait for it
  bool hurried_ = false;              // what runs was ended for a new try
  bool given_up_ = false;             // by reconnect()
  std::string why_;                   // it broke
  MonoTime phase_ends_ = kForever;    // of connecting, of greeting, of closing
  MonoTime attempt_ends_ = kForever;  // at one of several addresses
  MonoTime armed_ = kForever, last_read_{};
  int greetings_ = 0;                   // still to be answered
  std::optional<ReplyReader> replies_;  // of this connection
  std::deque<Pending> pending_;         // sent, in order
  std::size_t abandoned_ = 0;           // of pending_
  std::vector<Early> early_;
  std::string out_;  // not yet written
  bool writing_ = false;
};

}  // namespace tanggul::redis
