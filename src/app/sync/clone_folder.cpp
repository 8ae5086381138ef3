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

constexpr const char* kLock = "/lock";

// -1: somebody has it, or there is none.
int locked(const std::string& folder, int flags) {
  const int file = ::open((folder + kLock).c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) ::close(file);
  return -1;
}

void remove_left_behind(const std::string& parent) {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(parent, ec)) {
    const int lock = locked(entry.path(), 0);
    if (lock < 0) continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

}  // namespace

Expected<std::unique_ptr<CloneFolder>> CloneFolder::open(const std::string& parent) {
  std::error_code ec;
  fs::create_directories(parent, ec);
  remove_left_behind(parent);
  const std::string path = parent + "/" + random_name(8);
  if (::mkdir(path.c_str(), 0700) != 0) return Failure{Errc::io, path + ": " + ::strerror(errno)};
  const int lock = locked(path, O_CREAT);
  // Between its making and its lock somebody else may have had it, and removed the folder.
  if (lock < 0 || ::access((path + kLock).c_str(), F_OK) != 0) {
    if (lock >= 0) ::close(lock);
    return Failure{Errc::io, path + kLock + ": cannot be had"};
  }
  return std::unique_ptr<CloneFolder>(new CloneFolder(path, lock));
}

CloneFolder::~CloneFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace tanggul::app
