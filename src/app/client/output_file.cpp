#include "app/client/output_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tanggul::app {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  temporary_ = path_ + ".XXXXXX";
  fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) temporary_.clear();
  if (fd_ < 0) return;
  const mode_t mask = ::umask(0);  // as any file that a program makes
  ::umask(mask);
  ::fchmod(fd_, 0666 & ~mask);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool OutputFile::write(std::string_view bytes) {
  digest_.update(bytes);
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return fd_ >= 0;
}

bool OutputFile::publish() {
  const int fd = fd_;
  fd_ = -1;
  if (fd < 0 || ::close(fd) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0)
    return false;
  temporary_.clear();
  return true;
}

InputFile::InputFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat about;
  if (fd_ >= 0 && ::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode)) {
    size_ = static_cast<ByteCount>(about.st_size);
  } else if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace tanggul::app
