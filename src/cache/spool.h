#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "cache/body_window.h"
#include "cache/file.h"

namespace tanggul::cache {

// An append-only body that many read while one writes: up to kMemory in memory, beyond it in an
// unnamed file. append() belongs to one thread; size() and at() to any. Bytes below size() never
// move and never change, so readers need no lock and hold no copy.
//
// When the file cannot be had or takes no more, append() fails with Errc::io and errno: size()
// tells how much it took. It may be tried again, or go on with a window in memory, whose bytes its
// owner gives up as they have been read.
class Spool {
 public:
  static constexpr ByteCount kMemory = 256_KiB;

  // `expected`: the announced length, which sizes the memory; a guess only.
  Spool(std::string directory, std::optional<ByteCount> expected);

  Result<void> append(std::string_view bytes);
  // What follows is kept in memory. Once.
  void open_window();
  ByteCount size() const noexcept { return size_.load(std::memory_order_acquire); }

  // The run of bytes from `offset` on, at most `limit` of them, where they lie. `offset` < size().
  struct Run {
    std::string_view memory;  // or, when empty:
    int descriptor = -1;
    ByteCount offset = 0, size = 0;     // size 0: it has been given up
    std::shared_ptr<const void> owner;  // of memory that might be
  };
  Run at(ByteCount offset, ByteCount limit) const;

  // After the last append: the whole body as one string, Errc::io when it is not all here any more;
  // the file, when all of it went to one.
  Result<std::string> bytes() const;
  std::shared_ptr<File> file() const { return window() ? nullptr : file_; }
  BodyWindow* window() const noexcept {
    return window_.load(std::memory_order_acquire);
  }  // null: none
  bool whole() const { return !window() || window()->first() == window()->begin(); }

 private:
  static constexpr std::size_t kChunk = 16_KiB;
  static constexpr std::size_t kChunks = kMemory / kChunk;

  bool in_memory(std::size_t chunk) const noexcept {
    return chunk < kChunks && chunk * chunk_size_ < kMemory;
  }
  Result<void> spill();

  const std::string directory_;
  std::size_t chunk_size_;  // kChunk, or the whole expected length when that fits in memory
  std::array<std::unique_ptr<char[]>, kChunks> chunks_;  // written before size_ covers them
  std::shared_ptr<File> file_;                           // set before size_ goes past the chunks
  std::unique_ptr<BodyWindow> owned_window_;
  std::atomic<BodyWindow*> window_{nullptr};  // set before size_ goes past the file
  std::atomic<ByteCount> size_{0};
};

}  // namespace tanggul::cache
