#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "cache/block_checks.h"

namespace tanggul::cache {

// A file with a body in it: one of the data directory without a name (O_TMPFILE), which is gone
// with its last holder, also after kill -9, or a published one of the disk tier. Reading by offset
// is safe from any thread while one thread appends.
class File {
 public:
  static Result<std::shared_ptr<File>> create(const std::string& directory);
  // To be read. On failure errno tells why.
  static Result<std::shared_ptr<File>> open(const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Result<void> append(std::string_view bytes);                      // on failure errno tells why
  Result<void> write_at(ByteCount offset, std::string_view bytes);  // likewise; may have taken part
  Result<std::string> read(ByteCount offset, std::size_t size) const;
  Result<void> read(ByteCount offset, char* to, std::size_t size) const;
  int descriptor() const noexcept { return fd_; }

  // From now on it has a name and never changes: `content` is the SHA-256 of the body in it.
  // Once, by one thread.
  void seal(std::string content);
  std::string_view content() const noexcept;  // empty: not sealed

  // What its blocks must be, before it is shared; without, they are taken as they are.
  void set_checks(BlockChecks checks);
  // Whether these bytes are what was written. Reads those that nobody has checked yet. The first
  // time that they are not the file is retired, and `on_damage` called.
  bool right(ByteCount offset, ByteCount size);
  // Before it is shared.
  void tell_of_damage(std::function<void()> on_damage) { on_damage_ = std::move(on_damage); }

  // The tier has let go of it: its room is needed. Whoever reads it reads on.
  void retire() noexcept { retired_.store(true); }
  // Whether it may still be handed out: not retired, and since it was sealed nobody has written to
  // it. One system call for a sealed file.
  bool current() const noexcept;

 private:
  explicit File(int fd) : fd_(fd) {}

  const int fd_;
  std::string content_;        // before sealed_
  std::int64_t size_ = 0;      // likewise
  std::int64_t modified_ = 0;  // likewise, in nanoseconds
  std::unique_ptr<BlockChecks> checks_;
  std::function<void()> on_damage_;
  std::atomic<bool> sealed_{false};
  std::atomic<bool> retired_{false};
  std::atomic<bool> damaged_{false};
};

}  // namespace tanggul::cache
