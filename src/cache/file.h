#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace tanggul::cache {

// An unnamed file of the data directory (O_TMPFILE): it is gone with its last holder, also after
// kill -9. Reading by offset is safe from any thread while one thread appends.
class File {
 public:
  static Result<std::shared_ptr<File>> create(const std::string& directory);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Result<void> append(std::string_view bytes);
  Result<std::string> read(ByteCount offset, std::size_t size) const;
  int descriptor() const noexcept { return fd_; }

 private:
  explicit File(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace tanggul::cache
