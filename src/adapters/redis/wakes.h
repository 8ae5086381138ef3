#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "async/waiter.h"
#include "base/mutex.h"

namespace tanggul::redis {

// Who of this process waits for what. Shared by all threads; wakes are passed on by the waiters
// themselves, so nobody is called under the lock. Thread-safe.
class Wakes {
 public:
  void watch(const std::string& name, const async::WaiterPtr& waiter);
  void unwatch(const std::string& name, const async::WaiterPtr& waiter);
  void wake(const std::string& name);
  void wake_all();  // a wake may have been lost
  // Nobody is woken any more, and nobody is held on to: the loops of the waiters may end.
  void close();

 private:
  Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::unordered_map<std::string, std::vector<async::WaiterPtr>> waiters_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::redis
