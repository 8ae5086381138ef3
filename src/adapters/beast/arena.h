#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace tanggul::beast {

// Memory for one request's header fields, taken anew for each: a connection that has warmed up
// parses without allocating. What does not fit comes from the heap, and the next request finds a
// larger block. One thread.
class Arena {
 public:
  // Nothing that was taken is in use any more.
  void reset() {
    if (wanted_ > size_ && size_ < kLargest) {
      size_ = std::min(kLargest, std::max(wanted_, 2 * size_));
      block_.reset(new char[size_]);
    }
    used_ = wanted_ = 0;
  }
  void* take(std::size_t size) {
    size = (size + kAlign - 1) & ~(kAlign - 1);
    wanted_ += size;
    if (used_ + size > size_) return ::operator new(size);
    void* at = block_.get() + used_;
    used_ += size;
    return at;
  }
  // Null where it does not fit; the next request finds room.
  void* take_within(std::size_t size) {
    if (used_ + size + kAlign <= size_) return take(size);
    wanted_ += size + kAlign;
    return nullptr;
  }
  void give(void* at) noexcept {
    const auto* p = static_cast<char*>(at);
    if (p < block_.get() || p >= block_.get() + size_) ::operator delete(at);
  }

 private:
  static constexpr std::size_t kAlign = alignof(std::max_align_t);
  static constexpr std::size_t kFirst = 1024, kLargest = 8192;
  std::size_t size_ = kFirst;
  std::unique_ptr<char[]> block_{new char[kFirst]};
  std::size_t used_ = 0, wanted_ = 0;
};

template <class T>
class ArenaAllocator {
 public:
  using value_type = T;
  explicit ArenaAllocator(Arena& arena) noexcept : arena_(&arena) {}
  template <class U>
  ArenaAllocator(const ArenaAllocator<U>& other) noexcept : arena_(other.arena()) {}

  T* allocate(std::size_t n) { return static_cast<T*>(arena_->take(n * sizeof(T))); }
  void deallocate(T* at, std::size_t) noexcept { arena_->give(at); }
  Arena* arena() const noexcept { return arena_; }
  template <class U>
  bool operator==(const ArenaAllocator<U>& other) const noexcept {
    return arena_ == other.arena();
  }

 private:
  Arena* arena_;
};

}  // namespace tanggul::beast
