#include "adapters/folder/single_file.h"

#include <sys/stat.h>

#include <cerrno>

#include "adapters/folder/fault.h"
#include "adapters/folder/open_beneath.h"

namespace tanggul::folder {

using ports::Listing;
using ports::Reading;

using ports::Unread;

Expected<std::unique_ptr<SingleFile>> SingleFile::open(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return fault(path, errno);
  if (S_ISDIR(status.st_mode)) return fault(path, EISDIR);
  return std::unique_ptr<SingleFile>(new SingleFile(path));
}

SingleFile::SingleFile(std::string path)
    : path_(std::move(path)), name_(path_.substr(path_.rfind('/') + 1)) {}

Expected<Listing> SingleFile::list(const std::function<bool(std::string_view)>& wanted) {
  Listing out;
  if (!wanted(name_)) return out;
  const Located at = locate(path_);
  if (at.unread) {
    out.unread.push_back({name_, *at.unread});
  } else {
    out.files.push_back({name_, at.size});
  }
  return out;
}

Expected<Reading> SingleFile::read(const ports::SourceFile& file, ByteCount limit,
                                   const std::function<bool(std::string_view)>& sink) {
  if (file.path != name_) return Reading{.unread = Unread::absent};
  return read_located(locate(path_), limit, sink);
}

}  // namespace tanggul::folder
