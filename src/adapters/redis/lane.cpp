#include "adapters/redis/lane.h"

#include "async/spawn.h"
#include "base/bytes.h"
#include "base/log.h"

namespace tanggul::redis {
namespace {

// Whoever waits for less says nothing about Redis when it was too little.
constexpr Duration kFairWait = 20ms;
constexpr Duration kProbeLimit = 500ms;
constexpr int kMostTries = 5;  // of what the connection broke upon, again and again
constexpr Duration kRest = 500ms;

bool starts(const Answer& answer, std::string_view word) {
  return answer.kind == Answer::Kind::reply && answer.reply.error() &&
         answer.reply.text.starts_with(word);
}

// In an error of a script the word may stand further on.
bool says(const Answer& answer, std::string_view word) {
  return answer.kind == Answer::Kind::reply && answer.reply.error() &&
         answer.reply.text.find(word) != std::string::npos;
}
bool says_wrong_type(const Answer& answer) { return says(answer, "WRONGTYPE"); }
bool says_read_only(const Answer& answer) { return says(answer, "READONLY"); }

// Nothing has been carried out, and another time it may be.
bool passes(const Answer& answer) {
  for (const char* word :
       {"OOM", "LOADING", "BUSY", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "MISCONF", "NOREPLICAS"})
    if (says(answer, word)) return true;
  return false;
}

}  // namespace

std::shared_ptr<Lane> Lane::make(std::shared_ptr<Core> core, async::Executor executor) {
  return std::shared_ptr<Lane>(new Lane(std::move(core), executor));  // the constructor is private
}

Lane::Lane(std::shared_ptr<Core> core, async::Executor executor)
    : core_(std::move(core)), executor_(executor), waiter_(async::Waiter::make(executor)) {}

void Lane::start() {
  if (closed_) return;
  Connection::Events events;
  events.ready = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->waiter_->wake();
    self->rest_until_ = {};
    self->flush();
  };
  events.lost = [weak = weak_from_this()](const std::string& why) {
    const auto self = weak.lock();
    if (!self) return;
    self->core_->errors(Op::connect).add();
    self->core_->health.failed(why);
  };
  connection_ = std::make_shared<Connection>(
      executor_, Connection::Config{core_->config.address, "tanggul-" + core_->config.node, {}},
      std::move(events), core_->commands);
  connection_->start();
  core_->health.wake_on_change(waiter_);
  async::spawn(executor_, "redis watch", watch(shared_from_this()));
}

void Lane::close() {
  if (closed_) return;
  if (last_) std::exchange(last_, nullptr)();
  closed_ = true;
  core_->health.forget(waiter_);
  waiter_->close();
  for (const auto& waiter : ending_) waiter->close();
  chores_.clear();
  if (connection_) connection_->close();
}

Task<Outcome> Lane::run(const Script& script, Call call, Op op, ports::Patience& patience) {
  if (!connection_ || patience.left() <= Duration::zero()) co_return Outcome{};
  const auto ticket = core_->health.enter();
  if (!ticket) co_return Outcome{};
  const MonoTime begun = MonoClock::now(), deadline = begun + patience.left();
  Encoded command = by_digest(script, call);
  Answer answer = co_await connection_->call(std::move(command), deadline);
  if (starts(answer, "NOSCRIPT")) {
    Encoded whole = by_source(script, call);
    answer = co_await connection_->call(std::move(whole), deadline);
  }
  if (says_wrong_type(answer)) {
    core_->errors(op).add();
    heal(call.keys);
    Encoded whole = by_source(script, call);
    answer = co_await connection_->call(std::move(whole), deadline);
  }
  const Duration waited = MonoClock::now() - begun;
  patience.spend(waited);
  Outcome outcome;
  const bool answered = judge(answer, *ticket, op, waited);
  outcome.perhaps_done = !answered && answer.kind != Answer::Kind::refused;
  if (answered) outcome.reply = std::move(answer.reply);
  if (answered) flush();
  co_return outcome;
}

// A connection that broke has told the breaker itself.
bool Lane::judge(const Answer& answer, const Health::Ticket& ticket, Op op, Duration waited) {
  Health& health = core_->health;
  if (answer.kind == Answer::Kind::reply && !answer.reply.error()) {
    health.succeeded(ticket);
    return true;
  }
  core_->errors(op).add();
  switch (answer.kind) {
    case Answer::Kind::reply:
      if (says_wrong_type(answer)) {
        health.succeeded(ticket);  // it serves; what stands there is somebody else's doing
        break;
      }
      health.failed(ticket, printable(answer.reply.text));
      if (says_read_only(answer)) connection_->reconnect(printable(answer.reply.text));
      break;
    case Answer::Kind::refused:
      if (connection_->ready()) health.failed(ticket, "it does not answer");
      break;
    case Answer::Kind::overdue:
      if (waited >= kFairWait) health.failed(ticket, "it answers too late");
      break;
    case Answer::Kind::lost:
      break;
  }
  return false;
}

// By its source, so that it is done before whatever is sent after it.
void Lane::heal(const std::vector<std::string>& keys) {
  chore({.script = &scripts::kHeal,
         .call = {keys, {}},
         .op = Op::connect,
         .worth_until = MonoClock::now() + kProbeLimit,
         .then =
             [](Reply& gone) {
               for (const Reply& key : gone.items)
                 log::warn("redis held a value of another type in {}: it is deleted",
                           printable(key.text));
             },
         .again = {},
         .by_source = true});
}

void Lane::chore(Chore chore) {
  if (!closed_ && !send(chore)) keep(std::move(chore));
}

void Lane::keep(Chore chore) {
  if (closed_) return;
  if (chores_.empty()) waiter_->wake();
  if (chores_.size() >= kMostChores) chores_.pop_front();
  chores_.push_back(std::move(chore));
}

bool Lane::send(Chore& chore) {
  if (!connection_ || !connection_->ready()) return false;
  const Encoded command =
      chore.by_source ? by_source(*chore.script, chore.call) : by_digest(*chore.script, chore.call);
  auto kept = std::make_shared<Chore>(chore);
  return connection_->post(command, [weak = weak_from_this(), kept](Answer answer) {
    if (const auto self = weak.lock()) self->answered(std::move(*kept), std::move(answer));
  });
}

void Lane::answered(Chore done, Answer answer) {
  if (answer.kind == Answer::Kind::reply && !answer.reply.error()) {
    if (done.then) done.then(answer.reply);
    return flush();
  }
  if (starts(answer, "NOSCRIPT") && !done.by_source) {
    done.by_source = true;
    return chore(std::move(done));
  }
  core_->errors(done.op).add();
  done.by_source = false;
  if (says_wrong_type(answer)) {
    if (++done.tries >= kMostTries) return;
    if (done.again) done.call.args[done.again->first] = done.again->second;
    heal(done.call.keys);
    return chore(std::move(done));
  }
  if (answer.kind == Answer::Kind::reply) {
    if (!passes(answer)) return;  // it would say so again
    if (says_read_only(answer)) connection_->reconnect(printable(answer.reply.text));
    rest_until_ = MonoClock::now() + kRest;
  } else {
    if (answer.suspect && ++done.tries >= kMostTries) return;
    if (done.again) done.call.args[done.again->first] = done.again->second;
  }
  keep(std::move(done));
}

// Until one cannot be sent.
void Lane::flush() {
  const MonoTime now = MonoClock::now();
  if (now < rest_until_) return;
  while (!chores_.empty()) {
    if (now < chores_.front().worth_until && !send(chores_.front())) return;
    chores_.pop_front();
  }
}

// Finds out whether Redis is there whenever that is not known, if there is a connection to ask on,
// and sends what is kept once it can be.
Task<void> Lane::watch(std::shared_ptr<Lane> self) {
  Health& health = self->core_->health;
  bool was_up = false;
  while (!self->closed_) {
    const bool up = !health.wants_probe();
    if (up && !was_up) {
      self->rest_until_ = {};
      self->connection_->hurry();
    }
    was_up = up;
    self->flush();
    MonoTime again = self->chores_.empty() ? kForever : MonoClock::now() + kRest;
    if (health.wants_probe() && self->connection_->ready()) {
      const Health::Probe probe = health.probe();
      again = std::min(again, std::max(probe.again, MonoClock::now() + 10ms));
      if (probe.now) co_await self->probe(probe.ticket);
    }
    co_await self->waiter_->wait_until(again);
  }
}

// A write: a replica, or a server that is full, answers a PING.
Task<void> Lane::probe(Health::Ticket ticket) {
  const std::string key = keys().probe(core_->config.node);
  const std::string_view words[] = {"SET", key, core_->config.node, "PX", "1000"};
  Encoded command(words);
  const MonoTime begun = MonoClock::now();
  Answer answer = co_await connection_->call(std::move(command), begun + kProbeLimit);
  if (answer.kind == Answer::Kind::lost || answer.kind == Answer::Kind::refused) {
    core_->health.failed(ticket, {});  // why tells the connection
    co_return;
  }
  judge(answer, ticket, Op::connect, MonoClock::now() - begun);
}

}  // namespace tanggul::redis
