#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::app {

// A file that appears under its name when it is whole, or not at all. Written by one thread.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool write(std::string_view bytes);                // false: errno tells why
  std::string sha256() { return digest_.finish(); }  // of all that was written; once
  bool publish();                                    // likewise

 private:
  const std::string path_;
  std::string temporary_;  // beside it; empty: there is none
  int fd_ = -1;
  Digest digest_{DigestKind::sha256};
};

// A file to be read. Closed when this ends.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  bool is_file() const noexcept { return fd_ >= 0; }  // false: there is none, or it is no plain one
  int descriptor() const noexcept { return fd_; }
  ByteCount size() const noexcept { return size_; }

 private:
  int fd_ = -1;
  ByteCount size_ = 0;
};

}  // namespace tanggul::app
