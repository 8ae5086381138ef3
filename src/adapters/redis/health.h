#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/waiter.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "tanggul/policy/breaker.h"

namespace tanggul::redis {

// A reason that is an error which Redis answered: it was reached, and did not serve.
bool answered_with_error(std::string_view why);

// Whether Redis is worth asking, for all threads of the process: a breaker over every call and
// connection. While it is not closed every call is refused at once, and one probe at a time finds
// out whether Redis is back. Thread-safe.
class Health {
 public:
  using Ticket = policy::Breaker::Ticket;
  // Told of each change, on whatever thread brought it about, and while Redis is down of a reason
  // of another kind, not more than once in ten seconds.
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
  struct News {
    bool up;
    std::string why;
  };
  void record(const Ticket& ticket, policy::BreakerSample sample, const std::string& why);
  void count_unreached(MonoTime now) REQUIRES(mutex_);
  // What has come of a sample that the breaker has; nullopt: nothing to tell.
  std::optional<News> news(policy::BreakerSample sample, const std::string& why, MonoTime now)
      REQUIRES(mutex_);
  bool another_reason(MonoTime now) const REQUIRES(mutex_);
  void tell(const News& news);

  Gauge& gauge_;
  std::atomic<State> state_{State::unknown};
  Mutex mutex_;
  policy::Breaker breaker_ GUARDED_BY(mutex_);
  int unreached_ GUARDED_BY(mutex_) = 0;  // connections in a row
  std::string why_ GUARDED_BY(mutex_) = "the connection broke";
  std::string why_told_ GUARDED_BY(mutex_);  // when it went down, or since
  MonoTime told_at_ GUARDED_BY(mutex_);
  std::vector<async::WaiterPtr> waiters_ GUARDED_BY(mutex_);
  std::vector<Observer> observers_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace tanggul::redis
