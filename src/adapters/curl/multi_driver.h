#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <memory>
#include <unordered_map>
#include <vector>

#include "async/task.h"
#include "async/timer.h"

namespace tanggul::curl {

class Transfer;

// libcurl's multi interface on Asio's reactor: curl says which sockets and which time it waits for,
// this waits and tells it. One thread, that of the executor. Sockets stay curl's own: watched by a
// descriptor that is released, never closed. The handles of libcurl are void* by its own
// definition. Destroyed before the io_context's services are.
class MultiDriver : public std::enable_shared_from_this<MultiDriver> {
 public:
  MultiDriver(async::Executor executor, long max_idle_connections);
  ~MultiDriver();
  MultiDriver(const MultiDriver&) = delete;
  MultiDriver& operator=(const MultiDriver&) = delete;

  // Easy handles are used again: each carries buffers. A returned one keeps no option.
  void* take_easy();
  void give_back(void* easy) noexcept;

  // From add() to remove() the transfer is driven; its on_done() is called at most once, and it is
  // still to be removed after that. Neither may be called from inside a callback of libcurl.
  bool add(Transfer& transfer);
  void remove(Transfer& transfer) noexcept;

  async::Executor executor() const { return executor_; }

  // For libcurl's C callbacks.
  void watch(int fd, int what);
  void arm(long timeout_ms);

 private:
  using Descriptor = async::asio::posix::basic_stream_descriptor<async::Executor>;
  struct Watch {
    explicit Watch(async::Executor executor) : descriptor(executor) {}
    Descriptor descriptor;
    int fd = -1;
    int what = 0;  // CURL_POLL_*; 0 once removed
    bool reading = false, writing = false;
  };
  using WatchPtr = std::shared_ptr<Watch>;

  void wait(const WatchPtr& watch);
  void on_ready(const WatchPtr& watch, int event);
  void act(int fd, int event);
  void forget(int fd) noexcept;

  async::Executor executor_;
  async::Timer timer_;
  void* multi_;
  std::unordered_map<int, WatchPtr> watches_;
  std::vector<void*> idle_;
};

}  // namespace tanggul::curl
