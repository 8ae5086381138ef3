#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "async/task.h"

namespace tanggul::async {

// Starts a coroutine on its own. What it throws is logged, counted, and ends that coroutine only.
void spawn(Executor executor, std::string_view name, Task<void> task);

// Exceptions that reached spawn() since the process began. Always 0 unless there is a bug.
std::uint64_t uncaught_total() noexcept;

// How many coroutines of one kind are running: shut-down waits for it to reach zero.
class TaskGroup {
 public:
  void spawn(Executor executor, std::string_view name, Task<void> task);
  std::int64_t running() const noexcept { return running_.load(); }

 private:
  std::atomic<std::int64_t> running_{0};
};

}  // namespace tanggul::async
