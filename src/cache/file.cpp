#include "cache/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace tanggul::cache {

Result<std::shared_ptr<File>> File::create(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return Errc::io;
  return std::shared_ptr<File>(new File(fd));
}

File::~File() { ::close(fd_); }

Result<void> File::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Errc::io;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<std::string> File::read(ByteCount offset, std::size_t size) const {
  std::string out(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(fd_, out.data() + got, size - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Errc::io;
    got += static_cast<std::size_t>(n);
  }
  return out;
}

}  // namespace tanggul::cache
