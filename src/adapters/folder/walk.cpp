#include "adapters/folder/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "adapters/folder/open_beneath.h"

namespace tanggul::folder {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

struct OpenFolder {
  std::unique_ptr<DIR, CloseFolder> entries;
  std::string prefix;  // of the paths in it: empty, or ending in '/'
};

Found::Kind kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) return Found::Kind::regular;
  return S_ISLNK(mode) ? Found::Kind::link : Found::Kind::other;
}

class Walker {
 public:
  Walker(const WalkBounds& bounds, const std::function<bool(std::string_view)>& wanted)
      : bounds_(bounds), wanted_(wanted) {}

  Walk all(int root) {
    enter(root, ".", "");
    while (!open_.empty() && next()) {
    }
    return std::move(out_);
  }

 private:
  // False: it is over.
  bool next() {
    errno = 0;
    const dirent* const entry = ::readdir(open_.back().entries.get());
    if (!entry) {
      if (errno != 0) cannot_look_into(open_.back().prefix);
      open_.pop_back();
      return true;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || name == ".git") return true;
    if (++looked_at_ > bounds_.names) {
      out_.more = true;
      return false;
    }
    look_at(std::string(name));
    return true;
  }

  void look_at(const std::string& name) {
    const OpenFolder& folder = open_.back();
    const int at = ::dirfd(folder.entries.get());
    std::string path = folder.prefix + name;
    struct stat status = {};
    if (::fstatat(at, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;  // gone again
    if (S_ISDIR(status.st_mode)) {
      enter(at, name, path + "/");
    } else if (wanted_(path)) {
      out_.found.push_back(
          {std::move(path), kind_of(status.st_mode), static_cast<ByteCount>(status.st_size)});
    }
  }

  void enter(int at, const std::string& name, std::string prefix) {
    if (open_.size() > bounds_.depth) {
      out_.more = true;
      return;
    }
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    Descriptor folder(::openat(at, name.c_str(), flags));
    DIR* const entries = folder ? ::fdopendir(folder.get()) : nullptr;
    if (!entries) {
      cannot_look_into(prefix);
      return;
    }
    (void)folder.release();
    open_.push_back({std::unique_ptr<DIR, CloseFolder>(entries), std::move(prefix)});
  }

  void cannot_look_into(std::string prefix) {
    if (!prefix.empty()) prefix.pop_back();
    out_.unread.push_back({std::move(prefix), ports::Unread::unreadable});
  }

  const WalkBounds bounds_;
  const std::function<bool(std::string_view)>& wanted_;
  std::vector<OpenFolder> open_;  // each in the one before
  std::size_t looked_at_ = 0;
  Walk out_;
};

}  // namespace

Walk walk(int root, const WalkBounds& bounds, const std::function<bool(std::string_view)>& wanted) {
  return Walker(bounds, wanted).all(root);
}

}  // namespace tanggul::folder
