#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "async/waiter.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "policy/breaker.h"

namespace tanggul::redis {

// Whether Redis is worth asking, for all threads of the process: a breaker over every call and
// connection. While it is not closed every call is refused at once, and one probe at a time finds
// out whether Redis is back. Thread-safe.
class Health {
 public:
  using Ticket = policy::Breaker::Ticket;
  // Told of each change, on whatever thread brought it about.
  using Observer = std::function<void(bool up, const std::string& why)>;

  explicit Health(Gauge& up);

  std::optional<Ticket> enter();  // nullopt: no call now
  bool allows() const { return state_.load() != State::down; }
  void succeeded(const Ticket& ticket);
  void failed(const Ticket& ticket, const std::string& why);
  void failed(const std::string& why);  // no call's: a connection

  // Somebody is to find out whether Redis is there: it is not known, or not known to be back.
  bool wants_probe() const { return state_.load() != State::up; }
  struct Probe {
    bool now = false;  // this caller's; to be told to succeeded() or failed()
    Ticket ticket;
    MonoTime again;  // else: ask then
  };
  Probe probe();

  void wake_on_change(async::WaiterPtr waiter);
  void forget(const async::WaiterPtr& waiter);
  void observe(Observer observer);  // told at once what is known
  // Nobody is told any more, and nobody is held on to: the loops of the waiters may end.
  void close();

 private:
  enum class State { unknown, up, down };
  void record(const Ticket& ticket, policy::BreakerSample sample, const std::string& why);
  // Changes the breaker and tells what came of it.
  template <class Change>
  void note(policy::BreakerSample sample, const std::string& why, Change change);
  void tell(bool up, const std::string& why);

  Gauge& gauge_;
  std::atomic<State> state_{State::unknown};
  Mutex mutex_;
  policy::Breaker breaker_ GUARDED_BY(mutex_);
  int unreached_ GUARDED_BY(mutex_) = 0;  // connections in a row
  std::string why_ GUARDED_BY(mutex_);
  std::vector<async::WaiterPtr> waiters_ GUARDED_BY(mutex_);
  std::vector<Observer> observers_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace tanggul::redis
