#pragma once

#include <cstdint>
#include <ctime>
#include <string_view>

#include "base/bytes.h"

namespace tanggul {

// All of it at that place of the file, whatever a single call takes. False: errno tells why; EIO
// where the file ends before, ENOSPC where a call takes nothing.
bool read_at(int descriptor, ByteCount offset, char* to, std::size_t size) noexcept;
bool write_at(int descriptor, ByteCount offset, std::string_view bytes) noexcept;

// Since 1970, as stat(2) has it.
inline std::int64_t nanoseconds(const timespec& t) noexcept {
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace tanggul
