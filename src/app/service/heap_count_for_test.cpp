#include "app/service/heap_count_for_test.h"

#include <cerrno>
#include <cstddef>

namespace tanggul::app {
namespace {

thread_local std::uint64_t taken = 0;

}  // namespace

std::uint64_t heap_blocks_of_this_thread() noexcept { return taken; }

}  // namespace tanggul::app

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// glibc's own, under the names that it keeps for whoever replaces the others. operator new calls
// malloc and aligned_alloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t n, std::size_t size);
void* __libc_realloc(void* at, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++tanggul::app::taken;
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  ++tanggul::app::taken;
  return __libc_calloc(n, size);
}
void* realloc(void* at, std::size_t size) {
  ++tanggul::app::taken;
  return __libc_realloc(at, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++tanggul::app::taken;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++tanggul::app::taken;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** at, std::size_t alignment, std::size_t size) {
  ++tanggul::app::taken;
  *at = __libc_memalign(alignment, size);
  return *at == nullptr ? ENOMEM : 0;
}
}

#endif
