#include "adapters/beast/log_writer.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tanggul::beast {

// Shared with the thread, which may outlive the writer: a write that never ends cannot be joined.
struct LogWriter::Shared {
  std::mutex mutex;
  std::condition_variable more, done;
  std::string waiting;
  bool writing = false, ended = false;
  std::uint64_t dropped = 0;
};

namespace {

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody reads any more: the lines are lost, the requests are not
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

LogWriter::LogWriter() : shared_(std::make_shared<Shared>()) {
  std::thread([shared = shared_] {
    std::string batch;
    for (;;) {
      {
        std::unique_lock lock(shared->mutex);
        shared->writing = false;
        shared->done.notify_all();
        shared->more.wait(lock, [&] { return !shared->waiting.empty() || shared->ended; });
        if (shared->waiting.empty()) return;
        batch.swap(shared->waiting);
        shared->writing = true;
      }
      write_all(batch);
      batch.clear();
    }
  }).detach();
}

LogWriter::~LogWriter() {
  std::unique_lock lock(shared_->mutex);
  shared_->ended = true;
  shared_->more.notify_all();
  shared_->done.wait_for(lock, std::chrono::seconds(1),
                         [&] { return shared_->waiting.empty() && !shared_->writing; });
}

void LogWriter::write(std::string& lines) {
  if (lines.empty()) return;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->waiting.size() + lines.size() > kMost) {
      ++shared_->dropped;
    } else {
      shared_->waiting += lines;
    }
  }
  lines.clear();
  shared_->more.notify_one();
}

std::uint64_t LogWriter::dropped() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->dropped;
}

}  // namespace tanggul::beast
