#include "adapters/redis/wakes.h"

#include <algorithm>

namespace tanggul::redis {

void Wakes::watch(const std::string& name, const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  if (!closed_) waiters_[name].push_back(waiter);
}

void Wakes::unwatch(const std::string& name, const async::WaiterPtr& waiter) {
  const Lock lock(mutex_);
  const auto found = waiters_.find(name);
  if (found == waiters_.end()) return;
  auto& all = found->second;
  const auto one = std::find(all.begin(), all.end(), waiter);
  if (one != all.end()) all.erase(one);
  if (all.empty()) waiters_.erase(found);
}

void Wakes::wake(const std::string& name) {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    const auto found = waiters_.find(name);
    if (found == waiters_.end()) return;
    woken = found->second;
  }
  for (const auto& waiter : woken) waiter->wake();
}

void Wakes::close() {
  decltype(waiters_) gone;
  const Lock lock(mutex_);
  closed_ = true;
  gone.swap(waiters_);
}

void Wakes::wake_all() {
  std::vector<async::WaiterPtr> woken;
  {
    const Lock lock(mutex_);
    for (const auto& [name, waiters] : waiters_)
      woken.insert(woken.end(), waiters.begin(), waiters.end());
  }
  for (const auto& waiter : woken) waiter->wake();
}

}  // namespace tanggul::redis
