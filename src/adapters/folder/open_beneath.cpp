#include "adapters/folder/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

namespace tanggul::folder {
namespace {

using ports::Unread;

int open_path_beneath(int root, const std::string& path, std::uint64_t flags) noexcept {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

Unread why_not(int error) noexcept {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Unread::absent;
    case ELOOP:  // a link that was none when it was looked at
    case EXDEV:
      return Unread::outside;
    default:
      return Unread::unreadable;
  }
}

Located located(int descriptor) {
  if (descriptor < 0) return {.unread = why_not(errno)};
  Located out{.at = Descriptor(descriptor)};
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) {
    out.unread = why_not(errno);
  } else if (!S_ISREG(status.st_mode)) {
    out.unread = Unread::not_regular;
  } else {
    out.size = static_cast<ByteCount>(status.st_size);
  }
  return out;
}

ssize_t read_some(int descriptor, char* to, std::size_t size) noexcept {
  ssize_t n = 0;
  do {
    n = ::read(descriptor, to, size);
  } while (n < 0 && errno == EINTR);
  return n;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  Descriptor old(std::exchange(number_, other.release()));
  return *this;
}

int Descriptor::release() noexcept { return std::exchange(number_, -1); }

Located locate_beneath(int root, const std::string& path) {
  if (path.empty()) return {.unread = Unread::not_regular};  // the root itself
  return located(open_path_beneath(root, path, 0));
}

Located locate(const std::string& path) {
  return located(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

ports::LinkAt link_beneath(int root, const std::string& path) {
  const Descriptor at(open_path_beneath(root, path, O_NOFOLLOW));
  if (!at) return {};  // locate_beneath() will say why
  struct stat status = {};
  if (::fstat(at.get(), &status) != 0 || !S_ISLNK(status.st_mode)) return {};
  std::array<char, PATH_MAX> text;
  const ssize_t size = ::readlinkat(at.get(), "", text.data(), text.size());
  if (size < 0) return {.unread = why_not(errno)};
  return {std::string(text.data(), static_cast<std::size_t>(size))};
}

ports::Reading read_located(const Located& file, ByteCount limit,
                            const std::function<bool(std::string_view piece)>& sink) {
  if (file.unread) return {.unread = file.unread};
  // The very file that was looked at, whatever has its name by now.
  const std::string self = "/proc/self/fd/" + std::to_string(file.at.get());
  const Descriptor open(::open(self.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!open) return {.unread = Unread::unreadable};
  std::string buffer(64_KiB, '\0');
  for (ByteCount left = limit;;) {
    // A byte beyond the limit tells whether there is more; the sink does not get it.
    const std::size_t size = left == 0 ? 1 : std::min<ByteCount>(left, buffer.size());
    const ssize_t n = read_some(open.get(), buffer.data(), size);
    if (n < 0) return {.unread = Unread::unreadable};
    if (n == 0) return {.whole = true};
    if (left == 0) return {};
    left -= static_cast<ByteCount>(n);
    if (!sink(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)))) return {};
  }
}

}  // namespace tanggul::folder
