#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tanggul::test {

// Real documents with the right answers beside them, which are read in place and are no part of the
// project. Empty: they are not on this machine, and what tests need them for is skipped. The
// environment variable TANGGUL_CORPUS says where they are; else they are looked for beside the
// sources.
inline std::filesystem::path corpus(const std::string& default_folder) {
  const char* folder = std::getenv("TANGGUL_CORPUS");
  const std::filesystem::path path(folder != nullptr ? folder : default_folder);
  return std::filesystem::is_directory(path / "readmes") ? path : std::filesystem::path();
}

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace tanggul::test
