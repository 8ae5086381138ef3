#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace tanggul::bench {

// What one would write without a library: a call's own lock and condition, found in a map under one
// mutex. After x/sync/singleflight, word for word, without its panics.
class MutexAndMap {
 public:
  template <class Fn>
  int run(const std::string& key, const Fn& fn) {
    std::unique_lock lock(mutex_);
    if (const auto found = calls_.find(key); found != calls_.end()) {
      const std::shared_ptr<Call> call = found->second;
      call->ended.wait(lock, [&] { return call->value.has_value(); });
      return *call->value;
    }
    const auto call = std::make_shared<Call>();
    calls_.emplace(key, call);
    lock.unlock();
    const int value = fn();
    lock.lock();
    call->value = value;
    calls_.erase(key);
    call->ended.notify_all();
    return value;
  }

 private:
  struct Call {
    std::condition_variable ended;
    std::optional<int> value;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Call>> calls_;
};

// The same with what the standard library has for it.
class FutureMap {
 public:
  template <class Fn>
  int run(const std::string& key, const Fn& fn) {
    std::unique_lock lock(mutex_);
    if (const auto found = calls_.find(key); found != calls_.end()) {
      const std::shared_future<int> call = found->second;
      lock.unlock();
      return call.get();
    }
    std::promise<int> promise;
    calls_.emplace(key, promise.get_future().share());
    lock.unlock();
    const int value = fn();
    promise.set_value(value);
    lock.lock();
    calls_.erase(key);
    return value;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<int>> calls_;
};

}  // namespace tanggul::bench
