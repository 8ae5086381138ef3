#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace tanggul::cache {

// A checksum (XXH3) for each block of a body in a file, so that a large one can be handed out as it
// is read and a range of it without the rest. It finds what a disk does to bytes, at memory's
// speed; against forgery there is the SHA-256 that the body was stored under.
//
// right() is safe from any thread; each block is read once.
class BlockChecks {
 public:
  static constexpr ByteCount kBlock = 1_MiB;

  // `sums`: one for each block of the first `size` bytes of the file.
  BlockChecks(std::vector<std::uint64_t> sums, ByteCount size);

  bool right(int descriptor, ByteCount offset, ByteCount size) const;

  static std::uint64_t sum(std::string_view block) noexcept;
  static std::size_t blocks(ByteCount size) noexcept { return (size + kBlock - 1) / kBlock; }

 private:
  std::vector<std::uint64_t> sums_;
  ByteCount size_;
  std::unique_ptr<std::atomic<bool>[]> seen_;  // found right
};

}  // namespace tanggul::cache
