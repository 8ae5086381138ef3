#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/mutex.h"

namespace tanggul::cache {

// The end of a body that the disk did not take: bytes from `begin` on, in memory, given up again
// once nobody will ask for them. append() and release() belong to one thread, the others to any.
class BodyWindow {
 public:
  explicit BodyWindow(ByteCount begin) : begin_(begin), first_(begin), end_(begin) {}

  ByteCount begin() const noexcept { return begin_; }
  void append(std::string_view bytes);
  void release(ByteCount below);

  // The run from `offset` on; `owner` keeps it where it is. Empty: it has been given up.
  struct Run {
    std::shared_ptr<const std::string> owner;
    std::string_view bytes;
  };
  Run at(ByteCount offset, ByteCount limit) const;
  ByteCount first() const;  // the lowest offset that is still here
  ByteCount held() const;

 private:
  static constexpr std::size_t kPiece = 64_KiB;

  const ByteCount begin_;
  mutable Mutex mutex_;
  std::deque<std::shared_ptr<std::string>> pieces_ GUARDED_BY(mutex_);  // each but the last full
  ByteCount first_ GUARDED_BY(mutex_), end_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::cache
