#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tanggul::app {

// A directory of its own for one test, gone with it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(::mkdtemp(name_)) {}
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }

 private:
  char name_[32] = "/tmp/tanggul_app_XXXXXX";
  std::string path_;
};

}  // namespace tanggul::app
