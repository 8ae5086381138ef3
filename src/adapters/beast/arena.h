#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace tanggul::beast {

// Memory for one request's header fields, taken anew for each: a connection that has warmed up
// parses without allocating. What does not fit comes from the heap. One thread.
class Arena {
 public:
  static constexpr std::size_t kSize = 4096;

  void reset() noexcept { used_ = 0; }
  void* take(std::size_t size) {
    size = (size + kAlign - 1) & ~(kAlign - 1);
    if (!block_) block_.reset(new char[kSize]);
    if (used_ + size > kSize) return ::operator new(size);
    void* at = block_.get() + used_;
    used_ += size;
    return at;
  }
  void give(void* at) noexcept {
    const auto* p = static_cast<char*>(at);
    if (p < block_.get() || p >= block_.get() + kSize) ::operator delete(at);
  }

 private:
  static constexpr std::size_t kAlign = alignof(std::max_align_t);
  std::unique_ptr<char[]> block_;
  std::size_t used_ = 0;
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
