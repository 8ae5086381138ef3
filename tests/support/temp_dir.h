#pragma once

#include <string>
#include <string_view>

namespace tanggul::test {

// A fresh directory, removed with all that is in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Writes a file and gives its path.
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);  // empty where there is none

}  // namespace tanggul::test
