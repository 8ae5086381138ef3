#pragma once

#include <cstdint>

namespace tanggul::app {

// Blocks that the calling thread has taken from the heap so far, whichever way: malloc and all its
// relatives are replaced in this program. Nothing is counted under the sanitizers, whose own they
// are.
std::uint64_t heap_blocks_of_this_thread() noexcept;

inline constexpr bool kHeapIsCounted =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    false;
#elif __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    false;
#else
    true;
#endif

}  // namespace tanggul::app
