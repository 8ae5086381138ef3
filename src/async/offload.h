#pragma once

#include <functional>
#include <memory>

#include "async/waiter.h"

namespace tanggul::async {

// A bounded pool for work that would hold up a thread's other connections: large documents, disk
// reads. Thread-safe. The destructor finishes what was begun.
class Offload {
 public:
  explicit Offload(unsigned threads);
  ~Offload();
  // Finishes what was begun and takes no more. To be called before the io_contexts go whose
  // coroutines wait here: a thread of the pool may still be waking one of them.
  void finish();
  // Runs `work` on the pool and comes back to the caller's thread. What it throws is rethrown
  // there.
  Task<void> run(std::function<void()> work);
  // Nobody waits for it. It does not throw.
  void post(std::function<void()> work);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tanggul::async
