#include "async/offload.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <exception>

namespace tanggul::async {

struct Offload::Pool {
  explicit Pool(unsigned threads) : threads(threads) {}
  asio::thread_pool threads;
};

Offload::Offload(unsigned threads) : pool_(std::make_unique<Pool>(threads)) {}
Offload::~Offload() { finish(); }
void Offload::finish() { pool_->threads.join(); }

void Offload::post(std::function<void()> work) { asio::post(pool_->threads, std::move(work)); }

Task<void> Offload::run(std::function<void()> work) {
  struct Shared {
    std::function<void()> work;
    std::exception_ptr failure;
    std::atomic<bool> done{false};
  };
  auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  const WaiterPtr waiter = Waiter::make(co_await asio::this_coro::executor);
  asio::post(pool_->threads, [shared, waiter] {
    try {
      shared->work();
    } catch (...) {
      shared->failure = std::current_exception();
    }
    shared->done = true;
    waiter->wake();
  });
  while (!shared->done) co_await waiter->wait_until(kForever);
  if (shared->failure) std::rethrow_exception(shared->failure);
}

}  // namespace tanggul::async
