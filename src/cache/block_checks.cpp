#include "cache/block_checks.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "base/file_io.h"

namespace tanggul::cache {
BlockChecks::BlockChecks(std::vector<std::uint64_t> sums, ByteCount size)
    : sums_(std::move(sums)), size_(size), seen_(new std::atomic<bool>[sums_.size()]) {
  for (std::size_t i = 0; i < sums_.size(); ++i) seen_[i] = false;
}

std::uint64_t BlockChecks::sum(std::string_view block) noexcept {
  return XXH3_64bits(block.data(), block.size());
}

bool BlockChecks::right(int descriptor, ByteCount offset, ByteCount size) const {
  if (offset > size_ || size > size_ - offset) return false;
  std::unique_ptr<char[]> bytes;
  for (ByteCount block = offset / kBlock; block * kBlock < offset + size; ++block) {
    if (seen_[block].load(std::memory_order_relaxed)) continue;
    if (!bytes) bytes.reset(new char[kBlock]);
    const auto n = static_cast<std::size_t>(std::min(kBlock, size_ - block * kBlock));
    if (!read_at(descriptor, block * kBlock, bytes.get(), n)) return false;
    if (sum({bytes.get(), n}) != sums_[block]) return false;
    seen_[block].store(true, std::memory_order_relaxed);
  }
  return true;
}

}  // namespace tanggul::cache
