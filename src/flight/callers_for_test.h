#pragma once

#include <any>
#include <condition_variable>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/eventually.h"

namespace tanggul::test {

// Shut until it is opened; many may wait, at it or for one another.
class Gate {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void arrive_and_wait(int all) {
    std::unique_lock lock(mutex_);
    if (++arrived_ >= all) open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

// Threads that call at once; each keeps what it got.
class Crowd {
 public:
  template <class Call>
  Crowd(int n, Call call) {
    for (int i = 0; i < n; ++i) {
      auto said = std::make_shared<std::promise<std::any>>();
      results_.push_back(said->get_future());
      threads_.emplace_back([call, i, said] {
        try {
          said->set_value(call(i));
        } catch (...) {
          said->set_exception(std::current_exception());
        }
      });
    }
  }
  ~Crowd() { join(); }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  template <class Outcome>
  std::vector<Outcome> outcomes() {
    join();
    std::vector<Outcome> all;
    all.reserve(results_.size());
    for (auto& result : results_) all.push_back(std::any_cast<Outcome>(result.get()));
    return all;
  }
  // How many threw a std::exception that says this.
  int failures(const std::string& what) {
    join();
    int n = 0;
    for (auto& result : results_) {
      try {
        result.get();
      } catch (const std::exception& e) {
        n += e.what() == what ? 1 : 0;
      }
    }
    return n;
  }

 private:
  void join() {
    for (auto& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  std::vector<std::future<std::any>> results_;
  std::vector<std::thread> threads_;
};

// Until the key's flight is under way and so many threads wait for it.
template <class Flights>
[[nodiscard]] bool waiting(Flights& flights, const typename Flights::KeyType& key,
                           std::size_t sleepers) {
  return eventually([&] { return flights.table()->sleepers(key) == sleepers; });
}

}  // namespace tanggul::test
