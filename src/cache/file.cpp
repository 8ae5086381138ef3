#include "cache/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_io.h"

namespace tanggul::cache {
Result<std::shared_ptr<File>> File::create(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return Errc::io;
  return std::shared_ptr<File>(new File(fd));
}

Result<std::shared_ptr<File>> File::open(const std::string& path) {
  // The time of the last access is the disk tier's to keep: it tells after a restart what was used.
  // Something else than a file may lie there, a pipe that nobody writes to for one.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int fd = ::open(path.c_str(), kFlags | O_NOATIME);
  if (fd < 0 && errno == EPERM) fd = ::open(path.c_str(), kFlags);  // not our own file
  if (fd < 0) return Errc::io;
  std::shared_ptr<File> file(new File(fd));
  struct stat now = {};
  if (::fstat(fd, &now) == 0 && S_ISREG(now.st_mode)) return file;
  errno = ENOENT;
  return Errc::io;
}

File::~File() { ::close(fd_); }

Result<void> File::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return Errc::io;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> File::write_at(ByteCount offset, std::string_view bytes) {
  if (!tanggul::write_at(fd_, offset, bytes)) return Errc::io;
  return {};
}

Result<std::string> File::read(ByteCount offset, std::size_t size) const {
  std::string out(size, '\0');
  if (const auto done = read(offset, out.data(), size); !done) return done.error();
  return out;
}

Result<void> File::read(ByteCount offset, char* to, std::size_t size) const {
  if (!read_at(fd_, offset, to, size)) return Errc::io;
  return {};
}

void File::seal(std::string content) {
  struct stat now = {};
  if (sealed_.load() || ::fstat(fd_, &now) != 0) return;
  content_ = std::move(content);
  size_ = now.st_size;
  modified_ = nanoseconds(now.st_mtim);
  sealed_.store(true, std::memory_order_release);
}

std::string_view File::content() const noexcept {
  return sealed_.load(std::memory_order_acquire) ? std::string_view(content_) : std::string_view();
}

void File::set_checks(BlockChecks checks) {
  checks_ = std::make_unique<BlockChecks>(std::move(checks));
}

bool File::right(ByteCount offset, ByteCount size) {
  if (!checks_ || checks_->right(fd_, offset, size)) return true;
  retire();
  if (!damaged_.exchange(true) && on_damage_) on_damage_();
  return false;
}

bool File::current() const noexcept {
  if (retired_.load(std::memory_order_relaxed)) return false;
  if (!sealed_.load(std::memory_order_acquire)) return true;
  struct stat now = {};
  return ::fstat(fd_, &now) == 0 && now.st_size == size_ && nanoseconds(now.st_mtim) == modified_;
}

}  // namespace tanggul::cache
