#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "readers/markup/block.h"

namespace tanggul::readers {

// The lines of the block that a scanner is reading. Very long blocks are given in parts, so that
// what is held is bounded whatever the document is.
class Gathered {
 public:
  static constexpr std::size_t kMostLines = 4096, kMostBytes = 1 << 20;

  explicit Gathered(BlockSink& sink) : sink_(sink) {}

  bool empty() const { return lines_.empty(); }
  std::size_t count() const { return lines_.size(); }
  bool full() const { return lines_.size() >= kMostLines || bytes_ >= kMostBytes; }
  std::string_view last() const { return lines_.back(); }
  std::uint32_t last_line() const { return first_ + static_cast<std::uint32_t>(lines_.size()) - 1; }
  void add(std::string_view line, std::uint32_t number);
  // Gives what there is as a block of this kind, all but the last `keep` lines.
  void give(Block::Kind kind, int level = 0, std::string_view info = {}, std::size_t keep = 0);
  void drop_last();
  void drop_blank_end();
  void clear() { lines_.clear(), bytes_ = 0; }

 private:
  BlockSink& sink_;
  std::vector<std::string_view> lines_;
  std::string joined_;
  std::size_t bytes_ = 0;
  std::uint32_t first_ = 0;
};

}  // namespace tanggul::readers
