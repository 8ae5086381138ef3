#pragma once

#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace tanggul::test {

// Runs what it takes when it is told to.
class Later {
 public:
  template <class F>
  void execute(F f) {
    taken_.emplace_back(std::move(f));
  }
  std::size_t taken() const { return taken_.size(); }
  void run() {
    for (auto& f : std::exchange(taken_, {})) f();
  }
  void drop() { taken_.clear(); }

 private:
  std::vector<std::function<void()>> taken_;
};

struct Inline {
  template <class F>
  void execute(F f) const {
    f();
  }
};

struct Dropping {
  template <class F>
  void execute(F) const {}
};

struct Refusing {
  template <class F>
  void execute(F) const {
    throw std::runtime_error("shut down");
  }
};

// Takes it, runs it and then throws.
struct Confused {
  template <class F>
  void execute(F f) const {
    f();
    throw std::runtime_error("after all");
  }
};

// A thread of its own for each.
class Threads {
 public:
  ~Threads() {
    for (auto& thread : threads_) thread.join();
  }
  template <class F>
  void execute(F f) {
    threads_.emplace_back(std::move(f));
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace tanggul::test
