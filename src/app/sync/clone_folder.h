#pragma once

#include <memory>
#include <string>

#include "base/failure.h"

namespace tanggul::app {

// A folder of this worker's own, in which its jobs clone; removed with it. Those of workers that
// were killed are removed by whoever comes next: a lock that the kernel lets go of with its process
// tells them from others, also from those in another container. One thread's.
class CloneFolder {
 public:
  // In `parent`, which is made where it is not there.
  static Expected<std::unique_ptr<CloneFolder>> open(const std::string& parent);
  ~CloneFolder();
  CloneFolder(const CloneFolder&) = delete;
  CloneFolder& operator=(const CloneFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  CloneFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;
};

}  // namespace tanggul::app
