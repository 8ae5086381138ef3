#include "cache/disk/scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>

#include "base/file_io.h"

namespace tanggul::cache {
namespace {

// A file that was used no later than this after it was stored was used by its own making.
constexpr std::int64_t kOwnMaking = 1'000'000'000;

struct Close {
  void operator()(DIR* d) const noexcept { ::closedir(d); }
};

// A path within an open folder is looked up by its last part alone.
void each_name(const std::string& folder,
               const std::function<void(int folder, const char* name)>& take) {
  const std::unique_ptr<DIR, Close> dir(::opendir(folder.c_str()));
  if (!dir) return;
  while (const dirent* entry = ::readdir(dir.get()))
    if (entry->d_name[0] != '.') take(::dirfd(dir.get()), entry->d_name);
}

void scan_folder(const std::string& path, ObjectKind kind, std::vector<Index::Found>& found) {
  each_name(path, [&](int folder, const char* name) {
    const auto id = parse_name(name);
    struct stat now = {};
    if (!id || ::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(now.st_mode))
      return;
    if (now.st_size == 0) {
      ::unlinkat(folder, name, 0);
      return;
    }
    const std::int64_t used = nanoseconds(now.st_atim), stored = nanoseconds(now.st_mtim);
    found.push_back({*id, kind, static_cast<ByteCount>(now.st_size), std::max(used, stored),
                     used - stored > kOwnMaking});
  });
}

}  // namespace

std::vector<Index::Found> scan(const Layout& layout, const std::atomic<bool>& stop) {
  each_name(layout.arrivals(), [](int folder, const char* name) { ::unlinkat(folder, name, 0); });
  std::vector<Index::Found> found;
  for (const ObjectKind kind : {ObjectKind::entry, ObjectKind::body})
    each_name(layout.folder(kind), [&](int, const char* name) {
      if (!stop) scan_folder(layout.folder(kind) + "/" + name, kind, found);
    });
  return found;
}

}  // namespace tanggul::cache
