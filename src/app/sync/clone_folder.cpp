#include "app/sync/clone_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/random_name.h"

namespace tanggul::app {
namespace {

namespace fs = std::filesystem;

// Beside the folder, and removed after it: what is removed only in part is found again.
constexpr const char* kLock = ".lock";

// -1: somebody has it, or there is none.
int locked(const std::string& file, int flags) {
  const int lock = ::open(file.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  if (lock >= 0) ::close(lock);
  return -1;
}

void remove_with_lock(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove(folder + kLock, ignored);
}

void remove_left_behind(const std::string& parent) {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(parent, ec)) {
    if (entry.path().extension() != kLock) continue;
    const int lock = locked(entry.path(), 0);
    if (lock < 0) continue;
    remove_with_lock(fs::path(entry.path()).replace_extension());
    ::close(lock);
  }
}

}  // namespace

Expected<std::unique_ptr<CloneFolder>> CloneFolder::open(const std::string& parent) {
  std::error_code ec;
  fs::create_directories(parent, ec);
  remove_left_behind(parent);
  int error = 0;
  // Somebody who begins as well may take a new lock for one that was left behind.
  for (int tries = 0; tries < 5; ++tries) {
    const std::string path = parent + "/" + random_name(8);
    const int lock = locked(path + kLock, O_CREAT);
    error = errno;
    if (lock < 0) continue;
    if (::access((path + kLock).c_str(), F_OK) == 0 && ::mkdir(path.c_str(), 0700) == 0)
      return std::unique_ptr<CloneFolder>(new CloneFolder(path, lock));
    error = errno;
    ::close(lock);
  }
  return Failure{Errc::io, parent + ": " + ::strerror(error)};
}

CloneFolder::~CloneFolder() {
  remove_with_lock(path_);
  ::close(lock_);
}

}  // namespace tanggul::app
