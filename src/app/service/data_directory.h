#pragma once

#include <memory>
#include <string>

namespace tanggul::app {

// The data directory, this process' own for as long as the object lives. The lock is an flock on
// its file `lock`: the kernel lets go of it with the process, however that ends, so a lock file
// that is left behind means nothing. The file `format` names how the rest is laid out; a directory
// from before there was one is of format 1.
//
// open() makes what is missing. Where it refuses, it has changed nothing that was there, and
// `error` is one sentence that names the directory. Any thread; of many that open one directory at
// once, exactly one gets it. A restart needs no free space in a directory that has been ours.
class DataDirectory {
 public:
  static constexpr unsigned kFormat = 1;  // the newest that this program knows

  static std::unique_ptr<DataDirectory> open(const std::string& path, std::string& error);
  ~DataDirectory();
  DataDirectory(const DataDirectory&) = delete;
  DataDirectory& operator=(const DataDirectory&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  bool settle_format(std::string& error) const;

  const std::string path_;
  const int lock_;
};

}  // namespace tanggul::app
