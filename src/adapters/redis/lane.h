#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "adapters/redis/connection.h"
#include "adapters/redis/core.h"
#include "adapters/redis/script.h"
#include "ports/patience.h"

namespace tanggul::redis {

// What became of a call that somebody waits for.
struct Outcome {
  std::optional<Reply> reply;  // no error; nullopt: not known
  bool perhaps_done = false;   // without a reply: it was sent
};

// Work that nobody waits for. It is sent as soon as it can be, again after a connection that broke;
// given up if it is always upon this that one breaks.
struct Chore {
  const Script* script = nullptr;
  Call call;
  Op op = Op::release;
  MonoTime worth_until;  // after that it is dropped
  std::function<void(Reply&)> then;
  // What another argument has to be the second time, since the first may have been carried out.
  std::optional<std::pair<std::size_t, std::string>> again;
  int tries = 0;  // that ended in a way which may be its own doing
  bool by_source = false;
};

// One thread's connection to Redis: scripts, the breaker before them, the patience of who waits,
// and the chores of nobody. A chore that cannot be sent, or that met an error which passes, is kept
// for as long as it is worth it. At the limit the oldest is dropped: what they would undo expires
// by itself in Redis. One thread.
class Lane : public std::enable_shared_from_this<Lane> {
 public:
  static constexpr std::size_t kMostChores = 4096;

  static std::shared_ptr<Lane> make(std::shared_ptr<Core> core, async::Executor executor);

  Task<Outcome> run(const Script& script, Call call, Op op, ports::Patience& patience);
  void chore(Chore chore);

  Core& core() const { return *core_; }
  const Keys& keys() const { return core_->keys; }
  async::Executor executor() const { return executor_; }
  bool closed() const { return closed_; }
  // run() would send.
  bool serves() const { return connection_ && connection_->ready() && core_->health.allows(); }
  // It ends with the lane.
  void ends(async::WaiterPtr waiter) { ending_.push_back(std::move(waiter)); }
  // Runs before the connection is closed.
  void on_close(std::function<void()> last) { last_ = std::move(last); }

  void start();  // on its thread
  void close();  // on its thread

 private:
  Lane(std::shared_ptr<Core> core, async::Executor executor);

  // Somebody has put values of other types where ours belong: sent before whatever comes next.
  void heal(const std::vector<std::string>& keys);
  bool judge(const Answer& answer, const Health::Ticket& ticket, Op op, Duration waited);
  bool send(Chore& chore);
  void answered(Chore chore, Answer answer);
  void keep(Chore chore);
  void flush();
  static Task<void> watch(std::shared_ptr<Lane> self);
  Task<void> probe(Health::Ticket ticket);

  const std::shared_ptr<Core> core_;
  const async::Executor executor_;
  std::shared_ptr<Connection> connection_;
  const async::WaiterPtr waiter_;  // of watch()
  std::deque<Chore> chores_;       // kept, the oldest first
  MonoTime rest_until_{};          // no kept chore is sent: an error has yet to pass
  std::function<void()> last_;
  std::vector<async::WaiterPtr> ending_;
  bool closed_ = false;
};

}  // namespace tanggul::redis
