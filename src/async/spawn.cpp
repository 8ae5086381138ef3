#include "async/spawn.h"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <string>

#include "base/log.h"

namespace tanggul::async {
namespace {

std::atomic<std::uint64_t> uncaught{0};

void report(std::string_view name, const std::exception_ptr& failure) {
  if (!failure) return;
  ++uncaught;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    log::error("uncaught in {}: {}", name, e.what());
  } catch (...) {
    log::error("uncaught in {}: not a std::exception", name);
  }
}

}  // namespace

void spawn(Executor executor, std::string_view name, Task<void> task) {
  asio::co_spawn(executor, std::move(task),
                 [name = std::string(name)](std::exception_ptr e) { report(name, e); });
}

std::uint64_t uncaught_total() noexcept { return uncaught.load(); }

void TaskGroup::spawn(Executor executor, std::string_view name, Task<void> task) {
  ++running_;
  asio::co_spawn(executor, std::move(task), [this, name = std::string(name)](std::exception_ptr e) {
    report(name, e);
    --running_;
  });
}

}  // namespace tanggul::async
