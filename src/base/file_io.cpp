#include "base/file_io.h"

#include <unistd.h>

#include <cerrno>

namespace tanggul {

bool read_at(int descriptor, ByteCount offset, char* to, std::size_t size) noexcept {
  while (size > 0) {
    const ssize_t n = ::pread(descriptor, to, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    to += n;
    offset += static_cast<ByteCount>(n);
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool write_at(int descriptor, ByteCount offset, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<ByteCount>(n);
  }
  return true;
}

}  // namespace tanggul
