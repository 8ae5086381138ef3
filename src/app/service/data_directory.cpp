#include "app/service/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/bytes.h"
#include "cache/file.h"

namespace tanggul::app {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags, 0640)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  bool close() noexcept { return fd_ < 0 || ::close(release()) == 0; }

 private:
  int fd_;
};

int flock_retrying(int fd, int operation) {
  int result = 0;
  while ((result = ::flock(fd, operation)) != 0 && errno == EINTR) {
  }
  return result;
}

// What is in a small file from its start, cut at 64 bytes; nullopt: it cannot be read.
std::optional<std::string> read_start(int fd) {
  std::array<char, 64> buffer;
  const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), 0);
  if (n < 0) return std::nullopt;
  std::string text(buffer.data(), static_cast<std::size_t>(n));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

bool write_at_start(int fd, std::string_view text) {
  const ssize_t n = ::pwrite(fd, text.data(), text.size(), 0);
  if (n >= 0 && static_cast<std::size_t>(n) < text.size()) errno = ENOSPC;
  return n == static_cast<ssize_t>(text.size());
}

std::string in_use(const std::string& path, int lock) {
  const auto pid = parse_decimal(read_start(lock).value_or(""));
  // Between taking the lock and writing its pid the holder's file may still name one that is gone.
  const bool lives = pid && (::kill(static_cast<pid_t>(*pid), 0) == 0 || errno == EPERM);
  return fmt::format("the data directory {} is in use by {}; give this one another with --data",
                     path, lives ? fmt::format("process {}", *pid) : "another process");
}

bool still_named(int fd, const std::string& path) {
  struct stat held;
  struct stat named;
  return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

// -1: refused. The pid is padded to one width, so that writing it over an older one neither
// shortens the file nor needs a block more.
int lock_directory(const std::string& path, std::string& error) {
  const std::string name = path + "/lock";
  for (;;) {
    Descriptor file(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file.get() < 0) {
      error = fmt::format("cannot lock the data directory {}: {}", path, reason(errno));
      return -1;
    }
    if (flock_retrying(file.get(), LOCK_EX | LOCK_NB) != 0) {
      error = errno == EWOULDBLOCK
                  ? in_use(path, file.get())
                  : fmt::format("cannot lock the data directory {}: {}", path, reason(errno));
      return -1;
    }
    // Whoever removed the file since it was opened has made way for another lock of that name.
    if (!still_named(file.get(), name)) continue;
    if (write_at_start(file.get(), fmt::format("{:<19}\n", ::getpid()))) return file.release();
    error = fmt::format("cannot write to the data directory {}: {}", path, reason(errno));
    return -1;
  }
}

// Under a private name first: a reader finds all of it or nothing, after a power cut too. Only the
// lock's holder comes here, so that name is its own.
bool write_format(const std::string& path, std::string& error) {
  const std::string made = path + "/format.new", name = path + "/format";
  Descriptor file(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
  bool done = file.get() >= 0 &&
              write_at_start(file.get(), fmt::format("{}\n", DataDirectory::kFormat)) &&
              ::fsync(file.get()) == 0 && file.close() && ::rename(made.c_str(), name.c_str()) == 0;
  if (done) {
    Descriptor directory(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    done = directory.get() >= 0 && ::fsync(directory.get()) == 0;
  }
  if (!done) {
    error = fmt::format("cannot write to the data directory {}: {}", path, reason(errno));
    ::unlink(made.c_str());
  }
  return done;
}

// Its owner's alone: what is cached for one credential lies in it as well.
bool make_directory(const std::string& path, std::string& error) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::create_directories(path, failed) && !failed)
    fs::permissions(path, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec,
                    failed);
  if (!failed && !fs::is_directory(path, failed) && !failed)
    failed = std::make_error_code(std::errc::not_a_directory);
  if (failed) error = fmt::format("cannot use the data directory {}: {}", path, failed.message());
  return !failed;
}

}  // namespace

DataDirectory::~DataDirectory() { ::close(lock_); }

bool DataDirectory::settle_format(std::string& error) const {
  const Descriptor file(path_ + "/format", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.get() < 0 && errno == ENOENT) return write_format(path_, error);
  const auto text = file.get() < 0 ? std::nullopt : read_start(file.get());
  if (!text) {
    error =
        fmt::format("cannot read the format of the data directory {}: {}", path_, reason(errno));
    return false;
  }
  const auto format = parse_decimal(*text);
  if (!format || *format == 0) {
    error = fmt::format(
        "the data directory {} has a file `format` that names no format; give this one another "
        "directory with --data, or empty that one",
        path_);
  } else if (*format > kFormat) {
    error = fmt::format(
        "the data directory {} is of format {}, which a newer tanggul wrote, and this one knows "
        "formats up to {}; give it another with --data",
        path_, *format, kFormat);
  }
  return error.empty();
}

std::unique_ptr<DataDirectory> DataDirectory::open(const std::string& path, std::string& error) {
  error.clear();
  if (!make_directory(path, error)) return nullptr;
  const int lock = lock_directory(path, error);
  if (lock < 0) return nullptr;
  std::unique_ptr<DataDirectory> directory(new DataDirectory(path, lock));
  if (!directory->settle_format(error)) return nullptr;
  if (!cache::File::create(path)) {
    error = fmt::format(
        "cannot write to the data directory {} (large bodies are spooled there, in files without "
        "a name)",
        path);
    return nullptr;
  }
  return directory;
}

}  // namespace tanggul::app
