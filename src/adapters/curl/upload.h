#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "async/task.h"
#include "async/waiter.h"
#include "ports/origin.h"

namespace tanggul::curl {

// Carries a request's body from its RequestBody to libcurl's read callback through one buffer of
// 32 KiB (libcurl has as much again): the client is read no faster than the origin takes. One
// thread. The coroutine that pulls runs beside the fetch, which must wait for it (running())
// after stop(), since the RequestBody lives no longer than the fetch.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  static constexpr std::size_t kBuffer = 32 * 1024;

  // `owner` is woken when pulling has finished.
  Upload(async::WaiterPtr owner, ports::RequestBody& body);

  // `on_ready` is called, outside any take(), whenever a take() that said `wait` may be repeated.
  void start(std::function<void()> on_ready);
  void stop() noexcept;  // ends a pull that is under way; no more on_ready

  enum class Taken { bytes, end, wait, failed };
  Taken take(char* to, std::size_t& size);  // size: the room, then what was taken

  bool running() const noexcept { return started_ && !finished_; }
  bool starved() const noexcept { return begin_ == end_ && !ended_; }  // the client is the slow one
  bool all_taken() const noexcept;
  std::optional<ByteCount> length() const noexcept { return length_; }
  std::optional<Errc> failure() const noexcept { return failure_; }

 private:
  static Task<void> pull(std::shared_ptr<Upload> self);
  Task<void> pull_into_buffer();
  void accept(const Result<std::size_t>& got);

  async::WaiterPtr owner_;
  async::WaiterPtr drained_;
  ports::RequestBody& body_;
  const std::optional<ByteCount> length_;
  std::function<void()> on_ready_;
  async::asio::cancellation_signal cancel_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of buffer_ is not yet taken
  ByteCount pulled_ = 0, taken_ = 0;
  bool started_ = false, ended_ = false, finished_ = false, stopped_ = false;
  std::optional<Errc> failure_;
};

}  // namespace tanggul::curl
