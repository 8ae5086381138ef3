#include "cache/disk/publication.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace tanggul::cache {

bool Publication::publish(const File& file, ObjectKind kind, ObjectId id) {
  if (sync_ && ::fdatasync(file.descriptor()) != 0) return false;
  const std::string path = layout_.path(kind, id);
  if (link(file, path)) return true;
  // The first of its folder; or somebody has removed the whole of it.
  if (errno != ENOENT || !layout_.make_folder_of(kind, id)) return false;
  return link(file, path);
}

bool Publication::link(const File& file, const std::string& path) {
  // By way of /proc: naming a file by its descriptor alone needs a privilege (open(2), O_TMPFILE).
  const std::string self = "/proc/self/fd/" + std::to_string(file.descriptor());
  const auto name_it = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (name_it(path)) return true;
  if (errno != EEXIST) return false;
  const std::string arrival = layout_.arrivals() + "/" + std::to_string(++arrived_);
  if (!name_it(arrival)) {
    if (errno != EEXIST) return false;
    if (::unlink(arrival.c_str()) != 0 || !name_it(arrival)) return false;
  }
  if (::rename(arrival.c_str(), path.c_str()) == 0) return true;
  if (errno == EISDIR) {  // somebody's, in the place of a file of ours
    std::error_code failed;
    std::filesystem::remove_all(path, failed);
    if (::rename(arrival.c_str(), path.c_str()) == 0) return true;
  }
  const int failed = errno;
  ::unlink(arrival.c_str());
  errno = failed;
  return false;
}

}  // namespace tanggul::cache
